import type { FastifyInstance, FastifyRequest } from 'fastify';
import { overlongHeader } from '../../runtime/http/request-headers.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import { PROBES } from '../callers/connection-guard.js';
import { RequestError } from '../http/request-error.js';

/** Parameters of an address: a link has about ten, and up to twenty conditions. */
const MAX_PARAMETERS = 100;

/**
 * Refuses requests with a header that is too long or too many parameters, and counts all others against their callers, whatever they ask for:
 * pages, files, logins, paths that are not there. Operations are counted by the endpoint, which knows their sessions; the
 * probes of balancers are not counted, since a refusal would take this process out of service.
 */
export function admitRequests(server: FastifyInstance, callerLimits: Pick<CallerLimits, 'admitUnread'>): void {
  server.addHook('onRequest', async (request) => {
    refuseOverlong(request);
    if (!isOperation(request) && !PROBES.has(request.routeOptions.url ?? ''))
      await callerLimits.admitUnread(request.raw);
  });
}

/** Throws a RequestError for a request that would take too long to read. */
export function refuseOverlong({ headers, url }: Pick<FastifyRequest, 'headers' | 'url'>): void {
  const overlong = overlongHeader(headers);
  if (overlong !== null) throw new RequestError(431, overlong);
  if (url.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    throw new RequestError(400, `The address has more than ${MAX_PARAMETERS} parameters.`);
}

const OPERATIONS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

function isOperation({ method, routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === '/graphql' && OPERATIONS.has(method);
}
