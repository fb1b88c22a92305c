import { proxyPage, type Reply } from '../../server/reply.js';
import type { ServiceRequest } from '../../server/routes.js';

/** Calls per second of one address over all paths, and the burst on top of them (work-study 4.2). */
const CALLS_PER_SECOND = 40;
const BURST = 100;

/** The limiter of the proxy in front of the service. */
export interface ProxyLimiter {
  switch(on: boolean): void;
  /** The proxy's refusal, an HTML page without any header of the service; undefined if the call is admitted. */
  admit(request: ServiceRequest): Reply | undefined;
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
    admit({ address, now }) {
      if (!isOn) return undefined;
      const { calls, at } = buckets.get(address) ?? { calls: 0, at: now };
      const left = Math.max(0, calls - ((now - at) * CALLS_PER_SECOND) / 1000);
      if (left > BURST) return proxyPage(429, 'Too Many Requests');
      buckets.set(address, { calls: left + 1, at: now });
      return undefined;
    },
    reset() {
      isOn = false;
      buckets.clear();
    },
  };
}
