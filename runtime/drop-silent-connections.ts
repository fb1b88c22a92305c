import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Lets a server that closes go as soon as its requests are answered. Browsers and pools open connections ahead of
 * need; Node counts one that has not carried a request yet as busy, and closing would wait for it in vain.
 */
export function dropSilentConnections(fastify: FastifyInstance): void {
  const silent = new Set<Socket>();
  fastify.server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  fastify.server.on('request', ({ socket }) => silent.delete(socket));
  fastify.addHook('preClose', async () => {
    for (const socket of silent) socket.destroy();
  });
}
