import { createHash, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callOf, type Payload, pathOf } from '../server/call.js';
import { sendErrorPage, sendUntyped, setDefaults } from '../server/express.js';
import type { QuotaTaken } from '../server/quota.js';

/** Length of an account's window over all routes (volunteering 6). */
export const WINDOW_MS = 60_000;

/** Refuses a key: today with twelve bytes without a type, in the seed with JSON (volunteering 5.1, 12.7). */
export function sendUnauthorized(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (callOf(request).era === 'today') return sendUntyped(reply, 401, 'Unauthorized');
  return reply.code(401).send({ ok: false, code: 'UNAUTHORIZED', message: 'Unauthorized' });
}

/** An unknown or hidden mission; the search engine of the seed's era called its id invalid (volunteering 5.1). */
export function sendUnknownMission(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (callOf(request).era === 'today') return reply.code(404).send({ ok: false, code: 'NOT_FOUND' });
  return reply.code(403).send({ ok: false, data: null, error: 'Id not valid' });
}

/** The service's 500 (volunteering 6). */
export function sendServerError(reply: FastifyReply): FastifyReply {
  return reply.code(500).send({ ok: false, code: 'SERVER_ERROR' });
}

/** The 429 of an account whose window is spent; both times are in seconds (volunteering 5.1, 6). */
export function sendTooManyRequests(reply: FastifyReply, quota: QuotaTaken): FastifyReply {
  reply.code(429).headers({ ...quotaHeaders(quota), 'retry-after': String(Math.ceil(quota.resetMs / 1000)) });
  return reply.send({
    ok: false,
    code: 'TOO_MANY_REQUESTS',
    message: 'Too many requests, please try again later.',
  });
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
export function sendNoSuchRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendErrorPage(reply, 404, `Cannot ${request.method} ${pathOf(request)}`);
}

/** The service's reply with any other error status. */
export function sendFailure(status: number, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (status === 401) return sendUnauthorized(request, reply);
  const code = status >= 500 ? 'SERVER_ERROR' : (FAILURES[status] ?? 'INVALID_QUERY');
  return reply.code(status).send({ ok: false, code });
}

const FAILURES: Readonly<Record<number, string>> = { 403: 'FORBIDDEN', 404: 'NOT_FOUND' };

/**
 * Adds what middleware adds to every reply (volunteering 6): security headers, the request's id, and Express's weak
 * ETag; a matching `If-None-Match` gets a 304. The response is still computed and counted.
 */
export function decorate(request: FastifyRequest, reply: FastifyReply, payload: Payload): Payload {
  setDefaults(reply, {
    ...SECURITY_HEADERS,
    'x-request-id': request.headers['x-request-id']?.toString() || randomUUID(),
    ...(/^\/v0\/mission\b/i.test(pathOf(request)) && MISSION_CORS),
  });
  if (typeof payload !== 'string' || !reply.getHeader('content-type')?.toString().startsWith('application/json'))
    return payload;
  // Encoded once, for the tag and for the wire.
  const body = Buffer.from(payload);
  const etag = weakEtag(body);
  reply.header('etag', etag);
  if (reply.statusCode === 200 && isFresh(etag, request)) reply.code(304).removeHeader('content-type');
  return body;
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

function isFresh(etag: string, { method, headers }: FastifyRequest): boolean {
  const tags = headers['if-none-match'];
  if (tags === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
  if (/\bno-cache\b/.test(headers['cache-control'] ?? '')) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return tags === '*' || tags.split(',').some((tag) => opaque(tag) === opaque(etag));
}
