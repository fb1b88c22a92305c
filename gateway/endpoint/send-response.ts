import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { jsonPieces } from '../../runtime/event-loop/json.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { holdBehind } from '../../runtime/http/unread-responses.js';
import type { RowResponse } from '../files/row-file.js';
import {
  chooseEncoding,
  compress,
  compressStream,
  MIN_COMPRESSED_BYTES,
  type ResponseType,
} from '../http/negotiation.js';
import { entityTag, isKnown } from '../http/shared-caching.js';
import type { EncodedBodies } from '../memory/whole-responses.js';
import type { ResponseHeaders } from './response-headers.js';

/** How long a response may be cached, and by whom. */
interface Cacheability {
  /** Until when it is fresh, in milliseconds since 1970; null or absent if nobody may cache it. */
  readonly freshUntilMs?: number | null;
  /** Whether no credential of the caller played a part in it, so that shared caches may store it. */
  readonly isForAll?: boolean;
}

/** The body of a GraphQL response. */
interface ResponseBody {
  readonly data?: unknown;
  readonly errors?: readonly Pick<GraphQLFormattedError, 'extensions'>[] | undefined;
  readonly extensions?: object | undefined;
}

/** A JSON response before it is serialized. */
export interface HttpResponse extends Cacheability {
  readonly status: number;
  readonly type: ResponseType;
  readonly body: ResponseBody;
  /** Its size as JSON, if it may be large. */
  readonly bytes?: number;
  /** Whose turns of the event loop are used to write a large response. */
  readonly caller?: object;
}

/** A response without errors that is already serialized. */
export interface WrittenResponse extends Cacheability {
  readonly type: ResponseType;
  readonly body: Buffer;
  /** The same body in its encodings, if those are cached. */
  readonly encoded?: EncodedBodies;
}

type Written = Pick<WrittenResponse, 'body' | 'encoded'>;

/** Larger responses are written in chunks; smaller ones take less than a millisecond in one go. */
const WRITTEN_AT_ONCE_BYTES = 256 * 1024;

/** Bytes of heap that objects take per byte of their JSON. */
const OBJECTS_PER_JSON = 6;

/** Sends responses with the headers that all have in common, in an encoding that the client accepts. */
export interface ResponseSender {
  json(request: FastifyRequest, reply: FastifyReply, response: HttpResponse): Promise<FastifyReply>;
  whole(request: FastifyRequest, reply: FastifyReply, response: WrittenResponse): Promise<FastifyReply>;
  /** `bytes` is the size as JSON of the data that the rows are made from, which stays in memory while they are sent. */
  rows(request: FastifyRequest, reply: FastifyReply, response: RowResponse, bytes: number): FastifyReply;
}

/** Creates the sender of an endpoint. */
export function createResponseSender(headersOf: ResponseHeaders): ResponseSender {
  return { json, whole, rows };

  async function json(request: FastifyRequest, reply: FastifyReply, response: HttpResponse): Promise<FastifyReply> {
    const freshUntilMs = cacheableUntil(response);
    const headers = { ...headersOf(request, freshUntilMs), 'content-type': `${response.type}; charset=utf-8` };
    reply.code(response.status).headers(headers);
    if (response.status === 405 && !reply.hasHeader('allow')) reply.header('allow', 'POST');
    const retryAfterSeconds = response.body.errors?.[0]?.extensions?.['retryAfterSeconds'];
    if (response.status === 429 && retryAfterSeconds !== undefined && !reply.hasHeader('retry-after'))
      reply.header('retry-after', String(retryAfterSeconds));
    const isLong = (response.bytes ?? 0) > WRITTEN_AT_ONCE_BYTES;
    if (!isLong) return written(request, reply, { body: Buffer.from(JSON.stringify(response.body)) }, freshUntilMs);
    const encoding = chooseEncoding(oneHeader(request.headers, 'accept-encoding'));
    if (encoding !== null) reply.header('content-encoding', encoding);
    const pieces = await jsonPieces(response.caller ?? response, response.body);
    const chunks = Readable.from(pieces, { objectMode: false });
    const sent = encoding === null ? chunks : compressStream(chunks, encoding);
    return reply.send(holdBehind(sent, response.bytes ?? 0));
  }

  function whole(request: FastifyRequest, reply: FastifyReply, response: WrittenResponse) {
    const freshUntilMs = cacheableUntil(response);
    reply.headers({ ...headersOf(request, freshUntilMs), 'content-type': `${response.type}; charset=utf-8` });
    return written(request, reply, response, freshUntilMs);
  }

  async function written(request: FastifyRequest, reply: FastifyReply, response: Written, freshUntilMs: number | null) {
    const { body, encoded } = response;
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
    encoded?.store(encoding, sent);
    return reply.header('content-encoding', encoding).send(sent);
  }

  function rows(request: FastifyRequest, reply: FastifyReply, response: RowResponse, bytes: number): FastifyReply {
    const { headers, body, isCompressed } = response;
    reply.headers({ ...headersOf(request, null), ...headers });
    const encoding = isCompressed ? null : chooseEncoding(oneHeader(request.headers, 'accept-encoding'));
    const held = OBJECTS_PER_JSON * bytes;
    if (encoding === null) return reply.send(holdBehind(body, held));
    return reply.header('content-encoding', encoding).send(holdBehind(compressStream(body, encoding), held));
  }
}

function cacheableUntil({ freshUntilMs = null, isForAll = false }: Cacheability): number | null {
  return isForAll ? freshUntilMs : null;
}
