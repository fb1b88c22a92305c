import { CodedError } from '../../kernel/errors.js';
import type { CallBudget } from '../../kernel/operation.js';
import { isRouteScope, type PricedCalls } from '../../kernel/price.js';
import { SERVICES } from '../../kernel/services.js';
import type { StoredData, UpstreamCall } from '../../kernel/trace.js';
import { allPages } from '../../rows/all-pages.js';
import {
  describeExtent,
  type Extent,
  errorsIn,
  extentOf,
  type ListLimit,
  lackOf,
  limitsOfPath,
} from '../../rows/extent.js';
import { type Layout, layoutOf, shapeSteps } from '../../rows/layout.js';
import { chooseAmong, listSteps, omittedLists } from '../../rows/lists.js';
import { MAX_ROWS, type Page, type PagedQuery, readPage } from '../../rows/page-query.js';
import { type JsonObject, readPath } from '../../rows/path.js';
import { namesColumns, pickRows } from '../../rows/row-choice.js';
import { freshTurn, isTurnSpent, stepsInTurns } from '../../runtime/event-loop/turns.js';
import type { SourceQuota } from '../request/request.js';
import { FileProgress, fileResponse, type RowCaller, type RowResponse } from './row-file.js';
import { type PagePlan, pathOf, type RowPlan } from './row-plan.js';
import type { RowRequest } from './row-request.js';

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

/** Four times the data of the largest response: each row repeats the values of its parents. */
const MAX_SIZE = 128 * 1024 * 1024;

/**
 * The rows of the requested list. Null if errors left no value at all: an empty file would mean that there is no data.
 * Rejects with `BAD_USER_INPUT` for an unknown list or column, and if neither `path` nor a plan names the list.
 */
export async function rowResponse(
  page: PageResponse,
  request: RowRequest,
  plan: RowPlan | null,
  caller: RowCaller,
): Promise<RowResponse | null> {
  const { data, errorCount, callsMade } = page;
  if (data === null) return null;
  // The query's first list may be null in this response, and another would be mistaken for it.
  if (plan === null && request.path === undefined) {
    throw new CodedError('BAD_USER_INPUT', 'Name the list in `path`, or send the `query` itself.');
  }
  const lists = await stepsInTurns(listSteps(data));
  const path = plan?.pagedList ?? pathOf(chooseAmong(lists, data, request.path), 'response');
  const own = await layoutIn(data, path);
  if (errorCount > 0 && !(await holdsAnything(own, data))) return null;
  const isEmpty = own.columns.length === 0;
  // A column without any value in this response is still a column, and a list without rows still has its columns.
  const planned = isEmpty || namesColumns(request.choice) ? (plan?.layoutAt(path) ?? null) : null;
  const layout = { ...((isEmpty && planned) || own), column: columnIn(own, planned) };
  const cut = furtherRows(page, path, plan?.limitsAt(path) ?? limitsOfPath(path));
  const services = [...page.services];
  const failed = errorsIn(page, readPath(path));
  const { stored = [] } = page;
  const soFar = Object.assign(new FileProgress(), { errors: errorCount, failed, callsMade, services, stored });
  return fileResponse({
    caller,
    path,
    request,
    layout,
    soFar,
    maxSize: MAX_SIZE,
    picker: pickRows(layout, request.choice),
    pages: only(data, soFar, cut),
    expectedCut: cut,
    omitted: omittedLists(lists, { path, isNamed: request.path !== undefined }),
  });
}

/** The columns of a response, or else the planned ones; either way with the planned type. */
function columnIn(own: Layout, planned: Layout | null): Layout['column'] {
  return (name) => {
    const [found, typed] = [own.column(name), planned?.column(name) ?? null];
    return found === null || typed?.type === undefined ? (found ?? typed) : { ...found, type: typed.type };
  };
}

/** What exporting all pages needs besides the first one. */
export interface AllPages {
  readonly caller: RowCaller;
  /** Fetches the page after a cursor. Never rejects. */
  fetchAfter(cursor: string): Promise<PageResponse>;
  /** Upstream calls that all pages together may make. */
  readonly maxCalls: number;
  /** How many calls it takes to read the list itself for so many further rows, by pages of a size. */
  callsOfList(size: number, rows: number): number;
  /** What is left of the quotas. */
  quotas(): Promise<readonly SourceQuota[]>;
  /** What the caller has left; null without a limit. */
  readonly callsOfCaller: CallBudget | null;
  /** Called once no further page will be fetched: all were, the reader disconnected, or there is no response. */
  ended(soFar: FileProgress): void;
}

/** What is planned for the rows of all pages. */
type PlannedPages = Pick<PagePlan, 'path' | 'layout' | 'paged' | 'omitted' | 'limits'>;

/**
 * The rows of all pages of a list, given the first one; null as above. Rejects with `COST_EXCEEDED`, `RATE_LIMITED` or
 * `TOO_MANY_REQUESTS` if the cost exceeds what is left.
 */
export async function allPagesResponse(
  first: PageResponse,
  request: RowRequest,
  plan: PlannedPages,
  all: AllPages,
): Promise<RowResponse | null> {
  const soFar = new FileProgress();
  let response: RowResponse | null = null;
  try {
    response = await openAllPages(first, request, plan, { ...all, soFar });
    return response;
  } finally {
    // A body that nobody starts to read is closed too.
    if (response === null) all.ended(soFar);
    else response.body.once('close', () => all.ended(soFar));
  }
}

async function openAllPages(
  first: PageResponse,
  request: RowRequest,
  { path, layout: planned, paged, omitted, limits }: PlannedPages,
  all: AllPages & { readonly soFar: FileProgress },
): Promise<RowResponse | null> {
  const { caller, soFar } = all;
  if (first.data === null) return null;
  if (first.errorCount > 0 && !(await holdsAnything(planned, first.data))) return null;
  const own = await layoutIn(first.data, path);
  const holdsObjects = (name: string) => own.column(name)?.holdsObjects === true;
  const layout = { ...planned, column: (name: string) => (holdsObjects(name) ? own : planned).column(name) };
  const picker = pickRows(layout, request.choice);
  const page = readPage(first.data, paged);
  const sample = page === null ? null : await payForPages(first, page, paged, all);
  const fetchAfter = (cursor: string) =>
    sample?.after === cursor ? Promise.resolve(sample.page) : all.fetchAfter(cursor);
  return fileResponse({
    caller,
    path,
    request,
    layout,
    soFar,
    picker,
    maxSize: MAX_SIZE,
    pages: followPages(first, soFar, { ...all, fetchAfter, paged, path, limits }),
    expectedCut:
      furtherInnerRows(first.data, path, { limits, pageNumber: 1 }) ?? cutByRows(page?.totalCount ?? 0, request),
    omitted,
  });
}

/**
 * Rejects if the calls of all further pages are more than may be made, by what the first one took; if its list was
 * cached, by the second, which is then read at once. Resolves with that one, and the cursor it was read after.
 */
async function payForPages(
  first: PageResponse,
  { endCursor, totalCount, rows }: Page,
  paged: PagedQuery,
  all: AllPages,
) {
  if (endCursor === null || totalCount === null || rows.length === 0) return null;
  const size = rows.length;
  const further = Math.ceil(Math.min(totalCount, MAX_ROWS) / size) - 1;
  const own = costOfPage(first.calls, paged.connection);
  const sample = own.isCached ? { after: endCursor, page: await all.fetchAfter(endCursor) } : null;
  const { list, joined, isCached } = sample === null ? own : costOfPage(sample.page.calls, paged.connection);
  const left = further - (sample === null ? 0 : 1);
  const uncached = isCached ? 0 : left;
  const times = (calls: readonly ScopeCalls[], count: number) =>
    calls.map((one) => ({ ...one, estimated: one.estimated * count }));
  const calls = [...times(list, Math.min(uncached, all.callsOfList(size, further * size))), ...times(joined, uncached)];
  await reservePages(calls, { pages: left, made: first.callsMade + (sample?.page.callsMade ?? 0) }, all);
  return sample;
}

/** A note that a list exceeds the rows of a file; null if not, or if conditions may leave few enough of them. */
function cutByRows(total: number, { choice: { where, distinct } }: RowRequest): string | null {
  return total > MAX_ROWS && where.length === 0 && !distinct ? `the first ${MAX_ROWS} of ${total} rows` : null;
}

async function* only(data: JsonObject, soFar: FileProgress, cut: string | null): AsyncGenerator<JsonObject> {
  yield data;
  // The file ends with these rows.
  if (cut !== null) soFar.cutOff(cut);
}

/** Why a file of one response does not have the whole list, or may not; null if it has, or if only errors left gaps. */
function furtherRows(
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
function furtherInnerRows(
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

async function layoutIn(data: JsonObject, path: string): Promise<Layout> {
  const steps = readPath(path);
  return layoutOf(steps, await stepsInTurns(shapeSteps(data, steps)));
}

async function holdsAnything(layout: Layout, data: JsonObject): Promise<boolean> {
  for (const row of layout.rowsOf(data)) {
    if (row.cells().some((cell) => cell !== null)) return true;
    if (isTurnSpent()) await freshTurn();
  }
  return false;
}

/** How to fetch further pages, and for how long. */
type Following = Pick<PlannedPages, 'paged' | 'path' | 'limits'> & Pick<AllPages, 'caller' | 'maxCalls' | 'fetchAfter'>;

/** Time needed to fetch another page. */
const MIN_MS = 100;

/**
 * Yields the data of each page, starting with the first, and records in `soFar` what they took, and why they are not
 * the whole list.
 */
export async function* followPages(
  first: PageResponse,
  soFar: FileProgress,
  { paged, path, limits, caller, maxCalls, fetchAfter }: Following,
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
    return caller.remainingMs() < MIN_MS ? 'the deadline of the request was exceeded' : null;
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

/**
 * Estimates the cost of a further page from a previous one: the call for the list itself, even if it was cached for
 * this page, and the calls sent for its rows (`joined`), which say nothing of other pages if the list of this one was
 * cached (`isCached`). `list` is the path of the list; calls above it are cached for the further pages. Calls in this
 * process are recorded with the path of their field, those of a plan with that of its parent.
 */
function costOfPage(calls: readonly UpstreamCall[], list: readonly string[]) {
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

/**
 * Refuses an export whose further `pages` cannot complete, before it starts. Throws
 * `COST_EXCEEDED` for more calls than a request may make, with `RATE_LIMITED` for more than a quota has left before the
 * deadline, and with `TOO_MANY_REQUESTS` for more than the caller has left; each message states the cost.
 */
async function reservePages(
  calls: readonly ScopeCalls[],
  { pages, made }: { readonly pages: number; readonly made: number },
  { caller, maxCalls, quotas, callsOfCaller }: AllPages,
): Promise<void> {
  const total = sum(calls);
  if (made + total > maxCalls) {
    const message = `All pages cost about ${made + total} calls (${pages} more pages); one request may make ${maxCalls}. ${ADVICE}`;
    throw new CodedError('COST_EXCEEDED', message);
  }
  for (const quota of await quotas()) {
    const { service, scope, limit, remaining, resetSeconds } = quota;
    const needed = sum(calls.filter((one) => countsIn(one, quota)));
    if (needed <= (resetSeconds * 1000 < caller.remainingMs() ? remaining + limit : remaining)) continue;
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
