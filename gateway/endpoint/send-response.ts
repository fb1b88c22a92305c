import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jsonPieces } from '../../runtime/event-loop/json-pieces.js';
import { holdBehind } from '../../runtime/http/bound-responses.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { compress, compressStream, MIN_COMPRESSED_BYTES } from '../http/compression.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { chooseEncoding, type ResponseType } from '../http/negotiation.js';
import type { Subgraphs } from '../subgraphs/connect-subgraphs.js';
import type { RowResponse } from '../web/export/row-file-response.js';

/** A JSON response before it is serialized. */
export interface HttpResponse {
  readonly status: number;
  readonly type: ResponseType;
  readonly body: object;
  /** Its size as JSON, if it may be large. */
  readonly bytes?: number;
}

/** Larger responses are written in chunks; smaller ones take less than a millisecond at once. */
const WRITTEN_AT_ONCE_BYTES = 256 * 1024;

/** Writes responses with the headers that they all have, in an encoding that the client accepts. */
export interface ResponseSender {
  json(request: FastifyRequest, reply: FastifyReply, response: HttpResponse): Promise<FastifyReply>;
  /** A response without errors whose JSON is written already. */
  whole(request: FastifyRequest, reply: FastifyReply, type: ResponseType, body: Buffer): Promise<FastifyReply>;
  /** `bytes` is the size of the data as JSON from which the rows are made. */
  rows(request: FastifyRequest, reply: FastifyReply, response: RowResponse, bytes: number): FastifyReply;
}

/** Creates the sender of an endpoint, with CORS headers by `crossOrigin`. */
export function createResponseSender(crossOrigin: CrossOrigin, subgraphs: Subgraphs): ResponseSender {
  return { json, whole, rows };

  async function json(request: FastifyRequest, reply: FastifyReply, response: HttpResponse): Promise<FastifyReply> {
    reply.code(response.status).headers({ ...headersOf(request), 'content-type': `${response.type}; charset=utf-8` });
    if (response.status === 405 && !reply.hasHeader('allow')) reply.header('allow', 'POST');
    const isLong = (response.bytes ?? 0) > WRITTEN_AT_ONCE_BYTES;
    if (!isLong) return encoded(request, reply, Buffer.from(JSON.stringify(response.body)));
    const encoding = chooseEncoding(oneHeader(request.headers, 'accept-encoding'));
    if (encoding !== null) reply.header('content-encoding', encoding);
    const chunks = Readable.from(jsonPieces(response.body), { objectMode: false });
    const sent = encoding === null ? chunks : compressStream(chunks, encoding);
    return reply.send(holdBehind(sent, response.bytes ?? 0));
  }

  function whole(request: FastifyRequest, reply: FastifyReply, type: ResponseType, body: Buffer) {
    reply.headers({ ...headersOf(request), 'content-type': `${type}; charset=utf-8` });
    return encoded(request, reply, body);
  }

  async function encoded(request: FastifyRequest, reply: FastifyReply, body: Buffer): Promise<FastifyReply> {
    const isShort = body.length < MIN_COMPRESSED_BYTES;
    const encoding = isShort ? null : chooseEncoding(oneHeader(request.headers, 'accept-encoding'));
    if (encoding === null) return reply.send(body);
    return reply.header('content-encoding', encoding).send(await compress(body, encoding));
  }

  function rows(request: FastifyRequest, reply: FastifyReply, response: RowResponse, bytes: number): FastifyReply {
    const { headers, body, isCompressed } = response;
    reply.headers({ ...headersOf(request), ...headers });
    const encoding = isCompressed ? null : chooseEncoding(oneHeader(request.headers, 'accept-encoding'));
    if (encoding === null) return reply.send(holdBehind(body, bytes));
    return reply.header('content-encoding', encoding).send(holdBehind(compressStream(body, encoding), bytes));
  }

  /** Headers of every response. */
  function headersOf({ id, headers }: FastifyRequest): Record<string, string> {
    return {
      ...crossOrigin.headersFor(headers.origin),
      'cache-control': 'private, no-store',
      'x-request-id': id,
      'x-passerelle-upstreams': subgraphs.upstreams(),
    };
  }
}
