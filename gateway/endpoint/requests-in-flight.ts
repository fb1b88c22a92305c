import type { FastifyInstance } from 'fastify';
import { openResponses } from '../../runtime/http/unread-responses.js';

/** Resolves once all requests that are in flight at a server now have ended; later ones do not delay it. */
export async function requestsEnded({ server }: FastifyInstance): Promise<void> {
  const ended = openResponses(server).map((response) => new Promise((resolve) => response.once('close', resolve)));
  await Promise.all(ended);
}
