import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../../schema/log.js';
import { watchUnread } from './unread-responses.js';

/** Bytes that stay in memory until a stream has ended. */
const bytesBehind = new WeakMap<Readable, number>();

/** Bytes written at a time, and so the precision to which a client's reading is known. */
export const PIECE_BYTES = 64 * 1024;

/**
 * Bounds what clients of a server leave unread: large responses are written in pieces, and a client that reads nothing
 * for `idleMs` is disconnected. Applies to routes added after this call.
 */
export function boundResponses(fastify: FastifyInstance, idleMs: number, log: Log): void {
  const unread = watchUnread(fastify.server, {
    idleMs,
    closed: (reason) => log.warn({ reason }, 'closed a connection that does not read its responses'),
  });
  fastify.addHook('onSend', async (_request, reply, payload) => {
    if (payload instanceof Readable) unread.hold(reply.raw, bytesBehind.get(payload) ?? 0);
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload)) || payload.length <= PIECE_BYTES) return payload;
    const body = typeof payload === 'string' ? Buffer.from(payload) : payload;
    unread.hold(reply.raw, body.length);
    reply.header('content-length', body.length);
    return Readable.from(piecesOf(body), { objectMode: false, highWaterMark: PIECE_BYTES });
  });
}

/** Counts the memory behind a streamed response as unread until the client has read it; returns the stream. */
export function holdBehind<S extends Readable>(stream: S, bytes: number): S {
  bytesBehind.set(stream, bytes);
  return stream;
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let from = 0; from < body.length; from += PIECE_BYTES) yield body.subarray(from, from + PIECE_BYTES);
}
