import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../../kernel/log.js';
import { HEADER_BYTES, LAST_ARRIVAL_MS, SECURITY_HEADERS } from './server-options.js';
import { openResponses } from './unread-responses.js';

/**
 * Closes connections when the server does. While the process drains, each ends with its response, so that nobody sends
 * a request on one that is about to close. A closing server ends as soon as its requests are answered. Node alone would
 * also wait for idle connections, whether opened ahead of need or kept alive, and for requests that never arrive
 * completely, as a closing server checks none. Needs `boundResponses`, which tracks the open responses.
 */
export function releaseConnections(fastify: FastifyInstance, isLeaving: () => boolean): void {
  const connections = new Set<Socket>();
  const silent = new Set<Socket>();
  let closing = false;
  fastify.server.on('connection', (socket) => {
    connections.add(socket);
    silent.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      silent.delete(socket);
    });
  });
  fastify.server.on('request', ({ socket }, response) => {
    silent.delete(socket);
    if (isLeaving()) response.setHeader('connection', 'close');
    if (closing) endWith(response);
  });
  fastify.addHook('preClose', async () => {
    closing = true;
    for (const response of openResponses(fastify.server)) endWith(response);
    for (const socket of silent) socket.destroy();
    setTimeout(() => {
      const arrived = openResponses(fastify.server).filter(({ req }) => req.complete);
      const answered = new Set(arrived.map(({ req }) => req.socket));
      for (const socket of connections) if (!answered.has(socket)) socket.destroy();
    }, LAST_ARRIVAL_MS).unref();
  });
}

function endWith(response: ServerResponse): void {
  const { socket } = response.req;
  response.on('finish', () => socket.destroySoon());
}

/** Status and message of the response for what Node refuses before there is a request. */
const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, `The headers are larger than ${HEADER_BYTES / 1024} kB.`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

const UNREADABLE = [400, 'The request cannot be read.'] as const;

/** Responds to bytes that are not a complete request with a coded error, and closes the connection. */
export function refuseUnreadable(log: Log): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const [status, message] = REFUSALS[error.code ?? ''] ?? UNREADABLE;
    log.info({ status, codes: ['BAD_REQUEST'] }, 'request refused');
    if (socket.writable) socket.write(rawResponse(status, message));
    socket.destroy(error);
  };
}

function rawResponse(status: number, message: string): string {
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
