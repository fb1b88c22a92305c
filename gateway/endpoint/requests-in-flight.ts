import type { FastifyInstance } from 'fastify';

/**
 * Tracks the requests of a server. The returned function resolves once all requests in flight at the time of the call
 * have ended; later ones do not delay it.
 */
export function trackRequests({ server }: FastifyInstance): () => Promise<void> {
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
