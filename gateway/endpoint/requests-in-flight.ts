import type { FastifyInstance } from 'fastify';

/**
 * Follows the requests of a server. The function that it returns resolves when those that are being answered at that
 * moment are answered; later ones do not prolong it.
 */
export function followRequests({ server }: FastifyInstance): () => Promise<void> {
  const inFlight = new Set<Promise<void>>();
  server.on('request', (_request, response) => {
    const ended = new Promise<void>((resolve) => response.once('close', resolve));
    inFlight.add(ended);
    void ended.then(() => inFlight.delete(ended));
  });
  return async () => {
    await Promise.all(inFlight);
  };
}
