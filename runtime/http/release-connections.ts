import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LAST_ARRIVAL_MS } from './arrival.js';
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
