import { CodedError } from '../../../schema/errors.js';
import { SERVICES, type ServiceName } from '../../../schema/services.js';
import type { UpstreamCall } from '../../../schema/trace.js';
import { isList, isObject, type Json, type JsonObject } from '../rows/path.js';

/** Calls that one request may make, all pages together. */
export const MAX_CALLS = 500;

/** What a source says of one of its counters. */
export interface ScopeLeft {
  readonly service: string;
  /** The calls that are counted together: a route such as `GET /job/v1/search`, or words for all of them. */
  readonly scope: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Asks the graph what is left of every quota; it calls no source. */
export const QUOTA_QUERY = '{ sources { name quotas { scope limit remaining resetSeconds } } }';

/** Reads the response to `QUOTA_QUERY`; a graph without sources has no figures. */
export function readQuotas(data: JsonObject | null | undefined): ScopeLeft[] {
  const sources = data?.['sources'];
  if (!isList(sources)) return [];
  return sources.filter(isObject).flatMap(({ name, quotas }) =>
    (isList(quotas) ? quotas : []).filter(isObject).map((quota) => ({
      service: String(name),
      scope: String(quota['scope'] ?? ''),
      limit: number(quota['limit']),
      remaining: number(quota['remaining']),
      resetSeconds: number(quota['resetSeconds']),
    })),
  );
}

function number(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** Calls of one route of a service. */
export interface RouteCalls {
  readonly service: ServiceName;
  /** Method and path template. */
  readonly route: string;
  readonly calls: number;
}

/**
 * What a further page costs, judged by one that came: the call for the list itself, though this page may have come from
 * the cache, and as many calls for its rows as were sent. `place` is where the list's parent is in the plan; what was
 * fetched before it is cached for the further pages.
 */
export function costOfPage(calls: readonly UpstreamCall[], place: string): RouteCalls[] {
  const routes = new Map<string, RouteCalls>();
  for (const { service, method, path, planNode, cache, sent = 0 } of calls) {
    const isList = planNode === place && cache !== 'COALESCED';
    const cost = isList ? Math.max(1, sent) : planNode.includes('@') ? sent : 0;
    if (cost === 0) continue;
    const route = `${method} ${path}`;
    const known = routes.get(`${service} ${route}`)?.calls ?? 0;
    routes.set(`${service} ${route}`, { service, route, calls: known + cost });
  }
  return [...routes.values()];
}

export interface Means {
  /** Calls that were made already. */
  readonly made: number;
  readonly quotas: readonly ScopeLeft[];
  readonly remainingMs: number;
}

/**
 * Refuses what cannot be paid before it starts. Throws `COST_EXCEEDED` for more calls than a request may make and
 * `RATE_LIMITED` for more than a quota has left in the time allowed; both say the price.
 */
export function refuseUnaffordable(
  perPage: readonly RouteCalls[],
  pages: number,
  { made, quotas, remainingMs }: Means,
): void {
  const total = pages * sum(perPage);
  if (made + total > MAX_CALLS) {
    const message = `All pages cost about ${made + total} calls (${pages} more pages); one request may make ${MAX_CALLS}. ${ADVICE}`;
    throw new CodedError('COST_EXCEEDED', message);
  }
  for (const quota of quotas) {
    const { service, scope, limit, remaining, resetSeconds } = quota;
    const needed = pages * sum(perPage.filter((calls) => countsIn(calls, quota)));
    if (needed <= (resetSeconds * 1000 < remainingMs ? remaining + limit : remaining)) continue;
    const message = `All pages cost about ${needed} more calls of ${service} (${scope}), and ${remaining} of ${limit} are left; resets in ${resetSeconds} s. ${ADVICE}`;
    const named = SERVICES.find((name) => name === service);
    throw new CodedError('RATE_LIMITED', message, { service: named, retryAfterSeconds: Math.max(1, resetSeconds) });
  }
}

const ADVICE = 'Ask for larger pages (`first`), for fewer joined fields, or for fewer rows.';

function sum(calls: readonly RouteCalls[]): number {
  return calls.reduce((all, one) => all + one.calls, 0);
}

/** A scope that names a route counts its calls, any other those of the whole service. */
function countsIn({ service, route }: RouteCalls, quota: ScopeLeft): boolean {
  return service === quota.service && (/^[A-Z]+ \//.test(quota.scope) ? quota.scope === route : true);
}
