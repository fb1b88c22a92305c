import { CodedError } from '../../kernel/errors.js';
import type { CallBudget } from '../../kernel/operation.js';
import { isRouteScope, type PricedCalls } from '../../kernel/price.js';
import { SERVICES } from '../../kernel/services.js';
import type { StoredData, UpstreamCall } from '../../kernel/trace.js';
import { allPages } from '../../rows/all-pages.js';
import { describeExtent, type Extent, errorsIn, extentOf, type ListLimit, lackOf } from '../../rows/extent.js';
import type { PagedQuery } from '../../rows/page-query.js';
import { type JsonObject, readPath } from '../../rows/path.js';
import type { SourceQuota } from '../request/request.js';
import type { FileProgress } from './row-file.js';

/** The response to the query of one page. */
export interface PageResponse {
  readonly data: JsonObject | null;
  readonly errors: readonly { readonly message: string; readonly path?: readonly (string | number)[] | undefined }[];
  /** Number of all errors: a response lists only the first ones. */
  readonly errorCount: number;
  /** Empty if nobody needs them. */
  readonly calls: readonly UpstreamCall[];
  readonly callsMade: number;
  /** The services that the data comes from, called now or earlier. */
  readonly services: Iterable<string>;
  /** What of it was read without a call. */
  readonly stored?: readonly StoredData[];
}

/** How to fetch further pages, and for how long. */
export interface Following {
  readonly paged: PagedQuery;
  /** The list whose rows are written. */
  readonly path: string;
  /** Those of the lists on that path. */
  readonly limits: readonly ListLimit[];
  /** Fetches the page after a cursor. Never rejects. */
  fetchAfter(cursor: string): Promise<PageResponse>;
  /** Upstream calls that all pages together may make. */
  readonly maxCalls: number;
  /** Milliseconds left for all pages together. */
  remainingMs(): number;
}

/** Time needed to fetch another page. */
const MIN_MS = 100;

/**
 * Yields the data of each page, starting with the first, and records in `soFar` what they took, and why they are not
 * the whole list.
 */
export async function* followPages(
  first: PageResponse,
  soFar: FileProgress,
  { paged, path, limits, maxCalls, remainingMs, fetchAfter }: Following,
): AsyncGenerator<JsonObject> {
  const steps = readPath(path);
  const recorded = (page: PageResponse): PageResponse => {
    soFar.pages += 1;
    soFar.callsMade += page.callsMade;
    soFar.stored = page.stored ?? [];
    soFar.services = [...new Set([...soFar.services, ...page.services])];
    soFar.errors += page.errorCount;
    soFar.failed += errorsIn(page, steps);
    return page;
  };
  const limit = (): string | null => {
    if (soFar.callsMade >= maxCalls) return `one request may make ${maxCalls} calls`;
    return remainingMs() < MIN_MS ? 'the deadline of the request was exceeded' : null;
  };
  const pages = allPages(recorded(first), {
    ...{ paged, path, limit, language: 'en', isLater: limits[0]?.isLater === true },
    fetchAfter: async (cursor) => recorded(await fetchAfter(cursor)),
    lackIn: (data) => furtherInnerRows(data, path, { limits, pageNumber: soFar.pages }),
  });
  let page = await pages.next();
  for (; page.done !== true; page = await pages.next()) yield page.value.data;
  if (page.value !== null) soFar.cutOff(page.value);
}

/** Calls of one route, by its method and path template, or of one counter of several. */
type ScopeCalls = Pick<PricedCalls, 'service' | 'scope' | 'estimated'>;

/** What a further page costs, by one that was read. */
export interface PageCost {
  /** Of the list itself. */
  readonly list: readonly ScopeCalls[];
  /** Of what is joined to its rows. */
  readonly joined: readonly ScopeCalls[];
  /** Whether the list of that one was cached: its joined values say nothing of others. */
  readonly isCached: boolean;
}

/**
 * Estimates the cost of a further page from a previous one: the call for the list itself, even if it was cached for
 * this page, and the calls sent for its rows. `list` is the path of the list; calls above it are cached for the further
 * pages. Calls in this process are recorded with the path of their field, those of a plan with that of its parent.
 */
export function costOfPage(calls: readonly UpstreamCall[], list: readonly string[]): PageCost {
  const field = list.join('.');
  const place = calls.some(({ planNode }) => planNode === field) ? field : list.slice(0, -1).join('.');
  const ofList = new Map<string, ScopeCalls>();
  const joined = new Map<string, ScopeCalls>();
  let isCached = true;
  for (const { service, method, path, planNode, cache, sent = 0 } of calls) {
    const isList = planNode === place && cache !== 'COALESCED';
    if (isList && sent > 0) isCached = false;
    const cost = isList ? Math.max(1, sent) : planNode.includes('@') ? sent : 0;
    if (cost === 0) continue;
    const scope = `${method} ${path}`;
    const routes = isList ? ofList : joined;
    const known = routes.get(`${service} ${scope}`)?.estimated ?? 0;
    routes.set(`${service} ${scope}`, { service, scope, estimated: known + cost });
  }
  return { list: [...ofList.values()], joined: [...joined.values()], isCached };
}

/** What an export may still spend. */
interface Budget {
  /** Calls made so far. */
  readonly made: number;
  /** Calls that one request may make, over all pages. */
  readonly maxCalls: number;
  readonly quotas: readonly SourceQuota[];
  readonly remainingMs: number;
  /** Null if the caller has no limit. */
  readonly callsOfCaller: CallBudget | null;
}

/**
 * Refuses an export whose further `pages` cannot complete, before it starts. Throws
 * `COST_EXCEEDED` for more calls than a request may make, with `RATE_LIMITED` for more than a quota has left before the
 * deadline, and with `TOO_MANY_REQUESTS` for more than the caller has left; each message states the cost.
 */
export function reservePages(
  calls: readonly ScopeCalls[],
  pages: number,
  { made, maxCalls, quotas, remainingMs, callsOfCaller }: Budget,
): void {
  const total = sum(calls);
  if (made + total > maxCalls) {
    const message = `All pages cost about ${made + total} calls (${pages} more pages); one request may make ${maxCalls}. ${ADVICE}`;
    throw new CodedError('COST_EXCEEDED', message);
  }
  for (const quota of quotas) {
    const { service, scope, limit, remaining, resetSeconds } = quota;
    const needed = sum(calls.filter((one) => countsIn(one, quota)));
    if (needed <= (resetSeconds * 1000 < remainingMs ? remaining + limit : remaining)) continue;
    const message = `All pages cost about ${needed} more calls to ${service} (${scope}), but only ${remaining} of ${limit} are left; the quota resets in ${resetSeconds} s. ${ADVICE}`;
    const named = SERVICES.find((name) => name === service);
    throw new CodedError('RATE_LIMITED', message, { service: named, retryAfterSeconds: Math.max(1, resetSeconds) });
  }
  if (callsOfCaller === null || callsOfCaller.setAside(total)) return;
  const message = `All pages cost about ${total} more calls (${pages} more pages), more than you have left: a caller may make ${callsOfCaller.limit} a minute. ${ADVICE}`;
  throw new CodedError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: callsOfCaller.resetSeconds() });
}

const ADVICE = 'Request larger pages (`first`), fewer joined fields, or fewer rows.';

function sum(calls: readonly ScopeCalls[]): number {
  return calls.reduce((all, { estimated }) => all + estimated, 0);
}

/** A scope that is not a route counts the calls of the whole service. */
function countsIn(calls: ScopeCalls, { service, scope }: SourceQuota): boolean {
  return calls.service === service && (calls.scope === scope || !isRouteScope(scope));
}

/** Why a file of one response does not have the whole list, or may not; null if it has, or if only errors left gaps. */
export function furtherRows(
  response: Pick<PageResponse, 'data' | 'errors' | 'errorCount'>,
  path: string,
  limits: readonly ListLimit[],
): string | null {
  const extent = extentOf(response, path, limits);
  if (extent.kind === 'failed') return null;
  const all = lackOf(response.data, path) === null ? 'all' : 'more, as far as its source gives them';
  return noteOf(extent, path, { page: `; pages=all gives ${all}`, innerPages: LARGER, largest: LARGER_TOP });
}

/** Why the rows of a page that is followed by all others are not whole, or may not be; null if they are. */
export function furtherInnerRows(
  data: PageResponse['data'],
  path: string,
  { limits, pageNumber }: { readonly limits: readonly ListLimit[]; readonly pageNumber: number },
): string | null {
  // The first list is the one whose pages are followed.
  const extent = extentOf({ data, errors: [] }, path, limits.slice(1));
  return noteOf(extent, path, {
    innerPages: ` on page ${pageNumber}${LARGER}`,
    largest: ` on page ${pageNumber}${LARGER_TOP}`,
  });
}

const LARGER = '; a larger first gives more';
const LARGER_TOP = '; a larger top gives more';

function noteOf(extent: Extent, path: string, advice: Partial<Record<Extent['kind'], string>>): string | null {
  const note = describeExtent(extent, path, 'en');
  return note === null ? null : `${note}${advice[extent.kind] ?? ''}`;
}
