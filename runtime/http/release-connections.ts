import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { openResponses } from './unread-responses.js';

/**
 * Lets connections end. While the process leaves, each ends with its response, so that nobody sends a request into one
 * that is about to close. A server that closes ends as soon as its requests are answered: Node would also wait for idle
 * connections, those opened ahead of need that have not carried a request yet and those kept alive after a response. Its
 * responses have to be bounded (`boundResponses`): so it is known which are open.
 */
export function releaseConnections(fastify: FastifyInstance, isLeaving: () => boolean): void {
  const silent = new Set<Socket>();
  let closing = false;
  fastify.server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
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
  });
}

function endWith(response: ServerResponse): void {
  const { socket } = response.req;
  response.on('finish', () => socket.destroySoon());
}
