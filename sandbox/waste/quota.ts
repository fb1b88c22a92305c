import type { FastifyReply, FastifyRequest } from 'fastify';
import { callOf } from '../server/call.js';
import type { QuotaTaken } from '../server/quota.js';
import type { Platform } from './platform.js';

/** The state of a window after one call, and how long the window is. */
export interface Window extends QuotaTaken {
  readonly windowMs: number;
}

/** The 429: French text, and the whole window as `Retry-After`, never the time left (waste-identity 8). */
export function sendTooManyRequests(reply: FastifyReply, quota: Window): FastifyReply {
  const minutes = Math.ceil(quota.windowMs / 60_000);
  const text =
    `Quota de ${quota.limit} requêtes par ${minutes} minute(s) excédé pour cette adresse IP, ` +
    'merci de réessayer plus tard.';
  reply.code(429).headers({ ...quotaHeaders(quota), 'retry-after': String(Math.ceil(quota.windowMs / 1000)) });
  return reply.type('text/html; charset=utf-8').send(text);
}

/** Counts one call of the request's address in the host's window. */
export function takeCall(request: FastifyRequest, { switches }: Platform): Window {
  const { limit, windowMs } = switches.quota;
  return { ...callOf(request).take(`address ${request.ip}`, limit, windowMs), windowMs };
}

/** The window's headers, which are on every response of the host (waste-identity 8). */
export function quotaHeaders(quota: QuotaTaken): Record<string, string> {
  return {
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(quota.remaining),
    'x-ratelimit-reset': String(Math.ceil(quota.resetAt / 1000)),
  };
}
