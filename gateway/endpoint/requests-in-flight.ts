import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { LAST_ARRIVAL_MS } from '../../runtime/http/server-options.js';
import { openResponses } from '../../runtime/http/unread-responses.js';

/**
 * Resolves once all requests that are now in flight at a server have ended; later ones do not delay it. A request that
 * has still not arrived completely after a moment does not count: its client may never send the rest.
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
