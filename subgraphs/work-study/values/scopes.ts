import type { FieldPrice } from '../../../kernel/price.js';
import type { QuotaScope } from '../../rest/quota/account.js';
import type { UpstreamRequest } from '../../rest/upstream.js';

const MINUTE_MS = 60_000;

/** The counter of job searches, by its name in `figures().quotas`, and its limit until the service reports one. */
export const JOB_SEARCHES = { scope: 'GET /job/v1/search', limit: 60 } as const;

/** Calls per minute, key and counted route (work-study 4.1). Response headers override them. */
const CALLS_A_MINUTE = {
  [JOB_SEARCHES.scope]: JOB_SEARCHES.limit,
  'GET /job/v1/offer/{id}': 120,
  'GET /job/v1/offer/{id}/publishing-informations': 120,
  'GET /job/v1/export': 2,
  'POST /job/v1/offer': 30,
  'PUT /job/v1/offer/{id}': 30,
} as const;
/** The other write routes: applications, whose path is configured, and appointments. */
const OTHER_WRITES_A_MINUTE = 10;

/**
 * The proxy in front of the service counts all calls from an address: 40 a second, with a burst of 100. Staying a
 * little below avoids refusals (work-study 4.2, reliability 1).
 */
const PROXY = { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 } as const satisfies QuotaScope;

/** The price of a field that makes one call of a route that the service does not count. */
export const ONE_CALL = { scope: PROXY.name } as const;

/** The price of a field that makes one call of a counted route. */
export function callOf(route: keyof typeof CALLS_A_MINUTE): FieldPrice {
  return { scope: route };
}

/** The counters that a call falls under: one for key, route and method if the service counts it; the proxy's always. */
export function workStudyScopes({ method, template }: UpstreamRequest<unknown>, fingerprint: string): QuotaScope[] {
  const route = `${method} ${template}`;
  const counted: Readonly<Record<string, number>> = CALLS_A_MINUTE;
  const limit = counted[route] ?? (method === 'GET' ? null : OTHER_WRITES_A_MINUTE);
  if (limit === null) return [PROXY];
  return [{ kind: 'window', name: `${route} ${fingerprint}`, limit, windowMs: MINUTE_MS }, PROXY];
}
