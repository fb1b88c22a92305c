import type { FastifyInstance } from 'fastify';

/** Requests that came between two calls of the function. */
interface Batch {
  open: number;
  /** Hears that none is open any more; null as long as others join it. */
  ended: (() => void) | null;
}

/**
 * Tracks the requests of a server. The returned function resolves once all requests in flight at the time of the call
 * have ended; later ones do not delay it.
 */
export function trackRequests({ server }: FastifyInstance): () => Promise<void> {
  let batch: Batch = { open: 0, ended: null };
  let earlier = Promise.resolve();
  server.on('request', (_request, response) => {
    const own = batch;
    own.open += 1;
    response.once('close', () => {
      own.open -= 1;
      if (own.open === 0) own.ended?.();
    });
  });
  return () => {
    const last = batch;
    batch = { open: 0, ended: null };
    const ended = new Promise<void>((resolve) => {
      if (last.open === 0) resolve();
      else last.ended = resolve;
    });
    earlier = earlier.then(() => ended);
    return earlier;
  };
}
