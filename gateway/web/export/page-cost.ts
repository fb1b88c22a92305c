import { CodedError } from '../../../schema/errors.js';
import { SERVICES, type ServiceName } from '../../../schema/services.js';
import type { UpstreamCall } from '../../../schema/trace.js';
import { isList, isObject, type Json, type JsonObject } from '../rows/path.js';

/** What is left of one quota of a source. */
export interface ScopeLeft {
  readonly service: string;
  /** The calls that are counted together: a route such as `GET /job/v1/search`, or a name for all of them. */
  readonly scope: string;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The query for what is left of each quota; it makes no upstream call. */
export const QUOTA_QUERY = '{ sources { name quotas { scope limit remaining resetSeconds } } }';

/** Reads the response to `QUOTA_QUERY`; empty for a graph without sources. */
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

/** A number of calls of one route. */
export interface RouteCalls {
  readonly service: ServiceName;
  /** Method and path template. */
  readonly route: string;
  readonly calls: number;
}

/**
 * Estimates the cost of a further page from a previous one: the call for the list itself, even if this one came from the
 * cache, and the calls sent for its rows. `place` is the plan node of the list's parent; calls above it are cached for
 * the further pages.
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

/** What an export may still spend. */
export interface Budget {
  /** Calls made so far. */
  readonly made: number;
  /** Calls that one request may make, over all pages. */
  readonly maxCalls: number;
  readonly quotas: readonly ScopeLeft[];
  readonly remainingMs: number;
}

/**
 * Refuses an export that cannot complete, before it starts. Throws `COST_EXCEEDED` for more calls than a request may
 * make, and `RATE_LIMITED` for more than a quota has left before the deadline; both messages state the cost.
 */
export function refuseUnaffordable(
  perPage: readonly RouteCalls[],
  pages: number,
  { made, maxCalls, quotas, remainingMs }: Budget,
): void {
  const total = pages * sum(perPage);
  if (made + total > maxCalls) {
    const message = `All pages cost about ${made + total} calls (${pages} more pages); one request may make ${maxCalls}. ${ADVICE}`;
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

const ADVICE = 'Request larger pages (`first`), fewer joined fields, or fewer rows.';

function sum(calls: readonly RouteCalls[]): number {
  return calls.reduce((all, one) => all + one.calls, 0);
}

/** A scope named like a route counts the calls of that route, any other those of the whole service. */
function countsIn({ service, route }: RouteCalls, quota: ScopeLeft): boolean {
  return service === quota.service && (/^[A-Z]+ \//.test(quota.scope) ? quota.scope === route : true);
}
