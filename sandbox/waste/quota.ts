import type { QuotaTaken } from '../server/quota.js';
import { type Reply, textReply } from '../server/reply.js';
import type { ServiceRequest } from '../server/routes.js';
import type { Platform } from './platform.js';

/** The state of a window after one call, and how long the window is. */
export interface Window extends QuotaTaken {
  readonly windowMs: number;
}

/** The 429: French text, and the whole window as `Retry-After`, never the time left (waste-identity 8). */
export function tooManyRequests(quota: Window): Reply {
  const minutes = Math.ceil(quota.windowMs / 60_000);
  const text =
    `Quota de ${quota.limit} requêtes par ${minutes} minute(s) excédé pour cette adresse IP, ` +
    'merci de réessayer plus tard.';
  const reply = withQuota(textReply(429, text, 'text/html; charset=utf-8'), quota);
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(Math.ceil(quota.windowMs / 1000)) } };
}

/** Counts one call of the request's address in the host's window. */
export function takeCall(request: ServiceRequest, { switches }: Platform): Window {
  const { limit, windowMs } = switches.quota;
  return { ...request.take(`address ${request.address}`, limit, windowMs), windowMs };
}

/** The response with the window's headers, which are on every response of the host (waste-identity 8). */
export function withQuota(reply: Reply, quota: QuotaTaken): Reply {
  return {
    ...reply,
    headers: {
      ...reply.headers,
      'x-ratelimit-limit': String(quota.limit),
      'x-ratelimit-remaining': String(quota.remaining),
      'x-ratelimit-reset': String(Math.ceil(quota.resetAt / 1000)),
    },
  };
}
