import { CodedError } from '../../kernel/errors.js';
import { isRouteScope } from '../../kernel/price.js';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import type { QuotaLeft } from '../request/quotas.js';

/** A number of calls of one route. */
export interface RouteCalls {
  readonly service: ServiceName;
  /** Method and path template. */
  readonly route: string;
  readonly calls: number;
}

/**
 * Estimates the cost of a further page from a previous one: the call for the list itself, even if it was cached for
 * this page, and the calls sent for its rows. `list` is the path of the list; calls above it are cached for the further
 * pages. Calls in this process are recorded with the path of their field, those of a plan with that of its parent.
 */
export function costOfPage(calls: readonly UpstreamCall[], list: readonly string[]): RouteCalls[] {
  const field = list.join('.');
  const place = calls.some(({ planNode }) => planNode === field) ? field : list.slice(0, -1).join('.');
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

/** The calls that a caller may make in a minute. */
export interface CallsOfCaller {
  readonly limit: number;
  /** Sets calls aside. False, with none set aside, if fewer are left. */
  reserve(calls: number): Promise<boolean>;
}

/** What an export may still spend. */
export interface Budget {
  /** Calls made so far. */
  readonly made: number;
  /** Calls that one request may make, over all pages. */
  readonly maxCalls: number;
  readonly quotas: readonly QuotaLeft[];
  readonly remainingMs: number;
  /** Null if the caller has no limit. */
  readonly callsOfCaller: CallsOfCaller | null;
}

/**
 * Sets aside the calls of all further pages, or refuses an export that cannot complete, before it starts. Rejects with
 * `COST_EXCEEDED` for more calls than a request may make, with `RATE_LIMITED` for more than a quota has left before the
 * deadline, and with `TOO_MANY_REQUESTS` for more than the caller has left; each message states the cost.
 */
export async function reservePages(
  perPage: readonly RouteCalls[],
  pages: number,
  { made, maxCalls, quotas, remainingMs, callsOfCaller }: Budget,
): Promise<void> {
  const total = pages * sum(perPage);
  if (made + total > maxCalls) {
    const message = `All pages cost about ${made + total} calls (${pages} more pages); one request may make ${maxCalls}. ${ADVICE}`;
    throw new CodedError('COST_EXCEEDED', message);
  }
  for (const quota of quotas) {
    const { service, scope, limit, remaining, resetSeconds } = quota;
    const needed = pages * sum(perPage.filter((calls) => countsIn(calls, quota)));
    if (needed <= (resetSeconds * 1000 < remainingMs ? remaining + limit : remaining)) continue;
    const message = `All pages cost about ${needed} more calls to ${service} (${scope}), but only ${remaining} of ${limit} are left; the quota resets in ${resetSeconds} s. ${ADVICE}`;
    const named = SERVICES.find((name) => name === service);
    throw new CodedError('RATE_LIMITED', message, { service: named, retryAfterSeconds: Math.max(1, resetSeconds) });
  }
  if (callsOfCaller === null || (await callsOfCaller.reserve(total))) return;
  const message = `All pages cost about ${total} more calls (${pages} more pages), more than you have left: a caller may make ${callsOfCaller.limit} a minute. ${ADVICE}`;
  throw new CodedError('TOO_MANY_REQUESTS', message);
}

const ADVICE = 'Request larger pages (`first`), fewer joined fields, or fewer rows.';

function sum(calls: readonly RouteCalls[]): number {
  return calls.reduce((all, one) => all + one.calls, 0);
}

/** A scope that is not a route counts the calls of the whole service. */
function countsIn({ service, route }: RouteCalls, { service: counted, scope }: QuotaLeft): boolean {
  return service === counted && (scope === route || !isRouteScope(scope));
}
