import type { FastifyReply, FastifyRequest } from 'fastify';
import { callOf, pathOf } from '../../server/call.js';
import type { QuotaTaken } from '../../server/quota.js';
import type { Era } from '../../server/types.js';

const WINDOW_MS = 60_000;

/** Calls per minute; other routes have no limit today (work-study 4.1). */
const CALLS_PER_MINUTE: Readonly<Record<string, number>> = {
  'GET /job/v1/search': 60,
  'GET /job/v1/offer/:id': 120,
  'GET /job/v1/offer/:id/publishing-informations': 120,
  'GET /job/v1/export': 2,
  'POST /job/v1/offer': 30,
  'PUT /job/v1/offer/:id': 30,
  'POST /job/v1/apply': 10,
  'POST /v3/jobs/apply': 10,
  'POST /formation/v1/appointment/generate-link': 10,
};

/** The seed limits each endpoint without numbers (work-study 12.8): this one is for routes without a limit today. */
const SEED_CALLS_PER_MINUTE = 600;

/** Calls per minute of a route, given as `/job/v1/offer/:id`; undefined if it is unlimited. */
export function callsPerMinute(era: Era, method: string, route: string): number | undefined {
  const limit = CALLS_PER_MINUTE[`${method} ${route}`];
  return era === 'seed' ? (limit ?? SEED_CALLS_PER_MINUTE) : limit;
}

/** Counts one call of this key in the window of this route and method (work-study 4.1). */
export function spendCall(request: FastifyRequest, route: string, perMinute: number): QuotaTaken {
  const { call, take } = callOf(request);
  return take(`${request.method} ${route} ${call.key}`, perMinute, WINDOW_MS);
}

/** The limiter's headers; `reset` is in seconds left (work-study 4.1, 12.8.2). */
export function rateHeaders(taken: QuotaTaken): Record<string, string> {
  return {
    'x-ratelimit-limit': String(taken.limit),
    'x-ratelimit-remaining': String(taken.remaining),
    'x-ratelimit-reset': String(Math.ceil(taken.resetMs / 1000)),
  };
}

/** The refusal for a fault, as if the route's window were spent. */
export function sendFaultyRateLimit(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { now } = callOf(request);
  const limit = limitOf(request)?.perMinute ?? 60;
  const window = { limit, remaining: 0, resetAt: now + WINDOW_MS, resetMs: WINDOW_MS, exceeded: true };
  return sendRateLimitError(request, reply, window);
}

/** Counts a call of a limited route that fails behind the limiter (work-study 5.3); its refusal if the window is spent. */
export function countFailure(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const limited = limitOf(request);
  const { key } = callOf(request).call;
  if (limited === undefined || key === 'none' || key === 'unknown') return undefined;
  const taken = spendCall(request, limited.route, limited.perMinute);
  if (taken.exceeded) return sendRateLimitError(request, reply, taken);
  reply.headers(rateHeaders(taken));
  return undefined;
}

/** The route of a request as it is limited; undefined if it is not. */
function limitOf(request: FastifyRequest): { readonly route: string; readonly perMinute: number } | undefined {
  const route = pathOf(request)
    .replace(/^\/api/i, '')
    .replace(/\/offer\/[^/]+/i, '/offer/:id')
    .toLowerCase();
  const perMinute = callsPerMinute(callOf(request).era, request.method.replace('HEAD', 'GET'), route);
  return perMinute === undefined ? undefined : { route, perMinute };
}

/** The refusal of a spent window. Its text states the time left, not the window's length (work-study 4.1). */
export function sendRateLimitError(request: FastifyRequest, reply: FastifyReply, taken: QuotaTaken): FastifyReply {
  reply.code(429).headers({ 'retry-after': String(Math.ceil(taken.resetMs / 1000)), ...rateHeaders(taken) });
  return reply.send(callOf(request).era === 'seed' ? seedBody(taken) : todayBody(taken));
}

function todayBody({ limit, resetMs }: QuotaTaken) {
  const message = `Quota dépassé : ${limit} requêtes par ${timeLeft(resetMs)}. Voir https://api.apprentissage.beta.gouv.fr/api/documentation pour les limites par endpoint.`;
  const rawError = { statusCode: 429, error: 'Too Many Requests', message };
  return { statusCode: 429, name: 'Too Many Requests', message, data: { rawError } };
}

/** The seed says only that the body is JSON describing the exceeded limit (work-study 12.7.1). */
function seedBody({ limit, resetMs }: QuotaTaken) {
  const message = `Rate limit of ${limit} calls exceeded, retry in ${timeLeft(resetMs)}`;
  return { statusCode: 429, error: 'Too Many Requests', message };
}

/** A duration as the limiter writes it, rounded, in the largest unit. */
function timeLeft(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const [count, unit] = ms < 60_000 ? [Math.round(ms / 1000), 'second'] : [Math.round(ms / 60_000), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

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
