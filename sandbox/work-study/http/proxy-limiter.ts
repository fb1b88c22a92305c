import type { FastifyRequest } from 'fastify';
import { callOf } from '../../server/call.js';

/** Calls per second of one address over all paths, and the burst on top of them (work-study 4.2). */
const CALLS_PER_SECOND = 40;
const BURST = 100;

/** The limiter of the proxy in front of the service. */
export interface ProxyLimiter {
  switch(on: boolean): void;
  /** Whether the call may pass. The proxy's refusal is a page without any header of the service. */
  admits(request: FastifyRequest): boolean;
  reset(): void;
}

/** One leaky bucket per address, as in nginx. */
export function createProxyLimiter(): ProxyLimiter {
  let isOn = false;
  const buckets = new Map<string, { calls: number; at: number }>();
  return {
    switch(on) {
      isOn = on;
    },
    admits(request) {
      if (!isOn) return true;
      const { now } = callOf(request);
      const address = request.ip;
      const { calls, at } = buckets.get(address) ?? { calls: 0, at: now };
      const left = Math.max(0, calls - ((now - at) * CALLS_PER_SECOND) / 1000);
      if (left > BURST) return false;
      buckets.set(address, { calls: left + 1, at: now });
      return true;
    },
    reset() {
      isOn = false;
      buckets.clear();
    },
  };
}
