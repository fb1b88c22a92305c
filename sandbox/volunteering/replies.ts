import { createHash, randomUUID } from 'node:crypto';
import { expressErrorPage } from '../server/express.js';
import type { QuotaTaken } from '../server/quota.js';
import { jsonReply, type Reply } from '../server/reply.js';
import type { ServiceRequest } from '../server/routes.js';

/** Length of an account's window over all routes (volunteering 6). */
export const WINDOW_MS = 60_000;

/** Refuses a key: today with twelve bytes without a type, in the seed with JSON (volunteering 5.1, 12.7). */
export function unauthorized(request: ServiceRequest): Reply {
  if (request.era === 'today') return { status: 401, body: 'Unauthorized' };
  return jsonReply(401, { ok: false, code: 'UNAUTHORIZED', message: 'Unauthorized' });
}

/** An unknown or hidden mission; the search engine of the seed's era called its id invalid (volunteering 5.1). */
export function unknownMission(request: ServiceRequest): Reply {
  if (request.era === 'today') return jsonReply(404, { ok: false, code: 'NOT_FOUND' });
  return jsonReply(403, { ok: false, data: null, error: 'Id not valid' });
}

/** The service's 500 (volunteering 6). */
export function serverError(): Reply {
  return jsonReply(500, { ok: false, code: 'SERVER_ERROR' });
}

/** The 429 of an account whose window is spent; both times are in seconds (volunteering 5.1, 6). */
export function tooManyRequests(quota: QuotaTaken): Reply {
  return jsonReply(
    429,
    { ok: false, code: 'TOO_MANY_REQUESTS', message: 'Too many requests, please try again later.' },
    { ...quotaHeaders(quota), 'retry-after': String(Math.ceil(quota.resetMs / 1000)) },
  );
}

/** `X-RateLimit-*`, on every authenticated reply; the reset is in seconds since 1970 (volunteering 6). */
export function quotaHeaders(quota: QuotaTaken): Record<string, string> {
  return {
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(quota.remaining),
    'x-ratelimit-reset': String(Math.ceil(quota.resetAt / 1000)),
  };
}

/** Express's page for an unknown route or method (volunteering 5.1). */
export function noSuchRoute(request: ServiceRequest): Reply {
  return expressErrorPage(404, `Cannot ${request.method} ${request.path}`);
}

/** The service's reply with any other error status. */
export function failure(status: number, request: ServiceRequest): Reply {
  if (status === 401) return unauthorized(request);
  if (status === 404) return jsonReply(404, { ok: false, code: 'NOT_FOUND' });
  if (status < 500) return jsonReply(status, { ok: false, code: status === 403 ? 'FORBIDDEN' : 'INVALID_QUERY' });
  return jsonReply(status, { ok: false, code: 'SERVER_ERROR' });
}

/**
 * Adds what middleware adds to every reply (volunteering 6): security headers, the request's id, and Express's weak
 * ETag; a matching `If-None-Match` gets a 304. The response is still computed and counted.
 */
export function decorate(reply: Reply, request: ServiceRequest): Reply {
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    'x-request-id': request.headers['x-request-id']?.toString() || randomUUID(),
    ...(/^\/v0\/mission\b/i.test(request.path) && MISSION_CORS),
    ...reply.headers,
  };
  if (typeof reply.body !== 'string' || !headers['content-type']?.startsWith('application/json'))
    return { ...reply, headers };
  // Encoded once, for the tag and for the wire.
  const body = Buffer.from(reply.body);
  const etag = weakEtag(body);
  headers['etag'] = etag;
  if (reply.status !== 200 || !isFresh(etag, request)) return { ...reply, headers, body };
  const { 'content-type': _, ...rest } = headers;
  return { status: 304, headers: rest };
}

const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'self'",
  'cross-origin-resource-policy': 'same-origin',
  'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
  'x-content-type-options': 'nosniff',
};

/** The open CORS of the mission routes, which organizations do not have (volunteering 6). */
const MISSION_CORS = { 'access-control-allow-origin': '*', 'access-control-allow-credentials': 'true' };

function weakEtag(body: Buffer): string {
  const hash = createHash('sha1').update(body).digest('base64').slice(0, 27);
  return `W/"${body.length.toString(16)}-${hash}"`;
}

function isFresh(etag: string, { method, headers }: ServiceRequest): boolean {
  const tags = headers['if-none-match'];
  if (tags === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  if (/\bno-cache\b/.test(headers['cache-control'] ?? '')) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return tags === '*' || tags.split(',').some((tag) => opaque(tag) === opaque(etag));
}
