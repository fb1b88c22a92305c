import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../../schema/log.js';
import { watchUnread } from './unread-answers.js';

/** Bytes written at a time: how far a client has read is known to within one piece. */
const PIECE_BYTES = 64 * 1024;

/**
 * Bounds what clients of a server leave unread: large answers are written in pieces, and a client that takes nothing
 * for `patienceMs` is closed. Applies to the routes that are added later.
 */
export function boundAnswers(fastify: FastifyInstance, patienceMs: number, log: Log): void {
  const unread = watchUnread(fastify.server, {
    patienceMs,
    closed: (reason) => log.warn({ reason }, 'a connection was closed that does not read its answers'),
  });
  fastify.addHook('onSend', async (_request, reply, payload) => {
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload)) || payload.length <= PIECE_BYTES) return payload;
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
    unread.hold(reply.raw, body.length);
    reply.header('content-length', body.length);
    return Readable.from(piecesOf(body), { objectMode: false, highWaterMark: PIECE_BYTES });
  });
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let from = 0; from < body.length; from += PIECE_BYTES) yield body.subarray(from, from + PIECE_BYTES);
}
