import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import {
  chooseEncoding,
  compress,
  compressStream,
  type Encoding,
  MIN_COMPRESSED_BYTES,
  type ResponseType,
} from '../../runtime/http/negotiation.js';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';
import { holdBehind } from '../../runtime/http/server.js';
import type { RowResponse } from '../files/row-file.js';
import type { OperationFacts } from '../request/request.js';
import type { Endpoint } from './endpoint.js';

/** The body of a GraphQL response. */
interface GraphqlBody {
  readonly data?: unknown;
  readonly errors?: readonly Pick<GraphQLFormattedError, 'extensions'>[] | undefined;
  readonly extensions?: object | undefined;
}

/** How old a response is, for caches on the way. Times are in milliseconds since 1970. */
interface Freshness {
  /** Until when they may store it; null or absent if they may not. */
  readonly freshUntilMs?: number | null;
  /** When the oldest store that it was read from was sent, such as the daily export; null or absent without one. */
  readonly storedMs?: number | null;
}

/** A JSON response before it is serialized. */
export interface HttpResponse extends Freshness {
  readonly status: number;
  readonly type: ResponseType;
  readonly body: GraphqlBody;
}

/** A response without errors that is already serialized. */
export interface WrittenResponse extends Freshness {
  readonly type: ResponseType;
  readonly body: Buffer;
  /** The same body in its encodings, if those are cached. */
  readonly encoded?: Map<Encoding, Buffer>;
}

/** Bytes of heap that objects take per byte of their JSON. */
const OBJECTS_PER_JSON = 6;

/** Sends a response in an encoding that the client accepts; writes nothing for a client that has left. */
export async function sendJson(
  endpoint: HeaderParts,
  reply: FastifyReply,
  response: HttpResponse,
): Promise<FastifyReply> {
  if (reply.raw.destroyed) return reply.hijack();
  const { request } = reply;
  const { freshUntilMs = null } = response;
  reply
    .code(response.status)
    .headers(responseHeaders(endpoint, request, response))
    .type(`${response.type}; charset=utf-8`);
  if (response.status === 405 && !reply.hasHeader('allow')) reply.header('allow', 'POST');
  const retryAfterSeconds = response.body.errors?.[0]?.extensions?.['retryAfterSeconds'];
  if (response.status === 429 && retryAfterSeconds !== undefined && !reply.hasHeader('retry-after'))
    reply.header('retry-after', String(retryAfterSeconds));
  return sendBody(reply, { body: Buffer.from(JSON.stringify(response.body)) }, freshUntilMs);
}

/** Sends a response that is already written. */
export function sendWritten(
  endpoint: HeaderParts,
  reply: FastifyReply,
  response: WrittenResponse,
): Promise<FastifyReply> {
  const { freshUntilMs = null } = response;
  reply.headers(responseHeaders(endpoint, reply.request, response)).type(`${response.type}; charset=utf-8`);
  return sendBody(reply, response, freshUntilMs);
}

async function sendBody(
  reply: FastifyReply,
  { body, encoded }: Pick<WrittenResponse, 'body' | 'encoded'>,
  freshUntilMs: number | null,
): Promise<FastifyReply> {
  const { request } = reply;
  // The response to a POST is no representation that an entity tag could identify.
  if (freshUntilMs !== null && request.method !== 'POST') {
    const tag = entityTag(body);
    reply.header('etag', tag);
    if (isKnown(tag, request.headers)) return reply.code(304).removeHeader('content-type').send();
  }
  const isShort = body.length < MIN_COMPRESSED_BYTES;
  const encoding = chooseEncoding(oneHeader(request.headers, 'accept-encoding'), isShort);
  if (encoding === null) return reply.send(body);
  const sent = encoded?.get(encoding) ?? (await compress(body, encoding));
  encoded?.set(encoding, sent);
  return reply.header('content-encoding', encoding).send(sent);
}

/** Sends rows. `bytes` is the size as JSON of the data that they are made from, which stays in memory meanwhile. */
export function sendRows(
  endpoint: HeaderParts,
  reply: FastifyReply,
  response: RowResponse & Freshness,
  bytes: number,
): FastifyReply {
  const { request } = reply;
  const { headers, body, isCompressed } = response;
  reply.headers({ ...responseHeaders(endpoint, request, response), ...headers });
  const encoding = isCompressed ? null : chooseEncoding(oneHeader(request.headers, 'accept-encoding'));
  const held = OBJECTS_PER_JSON * bytes;
  if (encoding === null) return reply.send(holdBehind(body, held));
  return reply.header('content-encoding', encoding).send(holdBehind(compressStream(body, encoding), held));
}

type HeaderParts = Pick<Endpoint, 'crossOrigin' | 'subgraphs'>;

/** Headers of every response. `Age` counts from its store, and so does `max-age` (RFC 9111, 4.2). */
export function responseHeaders(
  { crossOrigin, subgraphs }: HeaderParts,
  { id, headers }: { readonly id: string; readonly headers: RequestHeaders },
  { freshUntilMs = null, storedMs = null }: Freshness = {},
): Record<string, string> {
  const ageSeconds = storedMs === null ? 0 : Math.max(0, Math.floor((Date.now() - storedMs) / 1000));
  const own: Record<string, string> = {
    vary: VARY,
    'cache-control': cacheControl(freshUntilMs, ageSeconds),
    'x-request-id': id,
    'x-passerelle-upstreams': subgraphs.upstreams(),
  };
  if (storedMs !== null) own['age'] = String(ageSeconds);
  const origin = oneHeader(headers, 'origin');
  return origin === undefined ? own : { ...crossOrigin.headersFor(origin), ...own };
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** What headers say of an operation, whoever sent it; null for one that is not known. */
export function factHeaders(operation: OperationFacts | null): Readonly<Record<string, string>> {
  const deprecations = operation?.deprecations ?? null;
  return deprecations === null ? NO_HEADERS : { 'x-passerelle-deprecations': deprecations };
}

/** Every request header that a response may depend on. */
const VARY = [
  'Accept',
  'Accept-Encoding',
  'Authorization',
  'Cookie',
  'Origin',
  'X-Volunteering-Key',
  'X-Work-Study-Key',
  'X-Passerelle-Csrf',
  'X-Passerelle-Trace',
  'X-Passerelle-Calls',
  'X-Passerelle-Dry-Run',
].join(', ');

/** Value of `Cache-Control` if no cache may store the response. */
const UNCACHEABLE = 'private, no-store';

/** `Cache-Control` of a response that is fresh until a time in milliseconds since 1970; null forbids caching. */
function cacheControl(freshUntilMs: number | null, ageSeconds: number): string {
  if (freshUntilMs === null) return UNCACHEABLE;
  return `public, max-age=${ageSeconds + Math.max(0, Math.floor((freshUntilMs - Date.now()) / 1000))}`;
}

/** The entity tag of a body before it is encoded; weak, because its encodings share it. */
export function entityTag(body: Buffer): string {
  return `W/"${createHash('sha1').update(body).digest('base64url')}"`;
}

/** Whether the client already has the response with this tag (`If-None-Match`, RFC 9110, 13.1.2). */
export function isKnown(tag: string, headers: RequestHeaders): boolean {
  const sent = oneHeader(headers, 'if-none-match');
  if (sent === undefined) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return sent.trim() === '*' || sent.split(',').some((one) => opaque(one) === opaque(tag));
}
