import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { LAST_ARRIVAL_MS } from '../../runtime/http/arrival.js';
import { openResponses } from '../../runtime/http/unread-responses.js';

/**
 * Resolves once all requests that are in flight at a server now have ended; later ones do not delay it. One that has
 * not arrived completely after a moment is not in flight: its client may never send the rest.
 */
export async function requestsEnded({ server }: FastifyInstance): Promise<void> {
  const inFlight = openResponses(server).map((response) => ({
    request: response.req,
    ended: new Promise((resolve) => response.once('close', resolve)),
  }));
  const all = Promise.all(inFlight.map(({ ended }) => ended));
  await Promise.race([all, setTimeout(LAST_ARRIVAL_MS, null, { ref: false })]);
  await Promise.all(inFlight.filter(({ request }) => request.complete).map(({ ended }) => ended));
}
