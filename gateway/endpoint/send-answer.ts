import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jsonPieces } from '../../runtime/event-loop/json-pieces.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { COMPRESSED_FROM_BYTES, compress, compressStream } from '../http/compression.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { type AnswerType, chooseEncoding } from '../http/negotiation.js';
import type { Subgraphs } from '../subgraphs/connect-subgraphs.js';
import type { RowAnswer } from '../web/export/row-file-answer.js';

/** An answer in JSON before it is written. */
export interface HttpAnswer {
  readonly status: number;
  readonly type: AnswerType;
  readonly body: object;
  /** What its JSON weighs, where that may be much. */
  readonly bytes?: number;
}

/** Answers from this size on are written in pieces. Below, one piece takes less than a millisecond. */
const WRITTEN_AT_ONCE_BYTES = 256 * 1024;

/** Writes answers: the headers that each has, the encoding that the client takes. */
export interface AnswerSender {
  json(request: FastifyRequest, reply: FastifyReply, answer: HttpAnswer): Promise<FastifyReply>;
  rows(request: FastifyRequest, reply: FastifyReply, answer: RowAnswer): FastifyReply;
}

/** The sender of an endpoint; its headers say what `crossOrigin` allows and how the sources are. */
export function createAnswerSender(crossOrigin: CrossOrigin, subgraphs: Subgraphs): AnswerSender {
  return { json, rows };

  async function json(request: FastifyRequest, reply: FastifyReply, answer: HttpAnswer): Promise<FastifyReply> {
    const isLong = (answer.bytes ?? 0) > WRITTEN_AT_ONCE_BYTES;
    const body = isLong ? null : Buffer.from(JSON.stringify(answer.body));
    reply.code(answer.status).headers({ ...headersOf(request), 'content-type': `${answer.type}; charset=utf-8` });
    if (answer.status === 405 && !reply.hasHeader('allow')) reply.header('allow', 'POST');
    const isShort = body !== null && body.length < COMPRESSED_FROM_BYTES;
    const encoding = isShort ? null : chooseEncoding(oneHeader(request.headers, 'accept-encoding'));
    if (encoding !== null) reply.header('content-encoding', encoding);
    if (body !== null) return reply.send(encoding === null ? body : await compress(body, encoding));
    const pieces = Readable.from(jsonPieces(answer.body), { objectMode: false });
    return reply.send(encoding === null ? pieces : compressStream(pieces, encoding));
  }

  function rows(request: FastifyRequest, reply: FastifyReply, { headers, body, isPacked }: RowAnswer): FastifyReply {
    reply.headers({ ...headersOf(request), ...headers });
    const encoding = isPacked ? null : chooseEncoding(oneHeader(request.headers, 'accept-encoding'));
    if (encoding === null) return reply.send(body);
    return reply.header('content-encoding', encoding).send(compressStream(body, encoding));
  }

  /** What every answer says. */
  function headersOf({ id, headers }: FastifyRequest): Record<string, string> {
    return {
      ...crossOrigin.headersFor(headers.origin),
      'cache-control': 'private, no-store',
      'x-request-id': id,
      'x-passerelle-upstreams': subgraphs.upstreams(),
    };
  }
}
