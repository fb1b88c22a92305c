import { CodedError } from '../../kernel/errors.js';
import type { CallBudget } from '../../kernel/operation.js';
import { errorsIn, limitsOfPath } from '../../rows/extent.js';
import { type Layout, layoutOf, shapeSteps } from '../../rows/layout.js';
import { chooseAmong, listSteps, omittedLists } from '../../rows/lists.js';
import { MAX_ROWS, type Page, type PagedQuery, readPage } from '../../rows/page-query.js';
import { type JsonObject, readPath } from '../../rows/path.js';
import { namesColumns } from '../../rows/row-choice.js';
import { pickRows } from '../../rows/row-picker.js';
import { freshTurn, isTurnSpent, stepsInTurns } from '../../runtime/event-loop/turns.js';
import type { SourceQuota } from '../request/request.js';
import {
  costOfPage,
  type Following,
  followPages,
  furtherInnerRows,
  furtherRows,
  type PageCost,
  type PageResponse,
  reservePages,
} from './further-pages.js';
import { FileProgress, fileResponse, type RowCaller, type RowResponse } from './row-file.js';
import { type PagePlan, pathOf, type RowPlan } from './row-plan.js';
import type { RowRequest } from './row-request.js';

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
  const planned = isEmpty || namesColumns(request.choice) ? ((await plan?.layoutAt(path)) ?? null) : null;
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
export interface AllPages extends Omit<Following, 'paged' | 'path' | 'limits'> {
  readonly caller: RowCaller;
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

/** A further page that was read ahead. */
interface Sample {
  readonly after: string;
  readonly page: PageResponse;
}

/**
 * Rejects if the calls of all further pages are more than may be made, by what the first one took; if its list was
 * cached, by the second, which is then read at once.
 */
async function payForPages(
  first: PageResponse,
  { endCursor, totalCount, rows }: Page,
  paged: PagedQuery,
  all: AllPages,
): Promise<Sample | null> {
  if (endCursor === null || totalCount === null || rows.length === 0) return null;
  const size = rows.length;
  const further = Math.ceil(Math.min(totalCount, MAX_ROWS) / size) - 1;
  const own = costOfPage(first.calls, paged.connection);
  const sample = own.isCached ? { after: endCursor, page: await all.fetchAfter(endCursor) } : null;
  const { list, joined, isCached } = sample === null ? own : costOfPage(sample.page.calls, paged.connection);
  const left = further - (sample === null ? 0 : 1);
  const uncached = isCached ? 0 : left;
  const times = (calls: PageCost['list'], count: number) =>
    calls.map((one) => ({ ...one, estimated: one.estimated * count }));
  const calls = [...times(list, Math.min(uncached, all.callsOfList(size, further * size))), ...times(joined, uncached)];
  reservePages(calls, left, {
    made: first.callsMade + (sample?.page.callsMade ?? 0),
    maxCalls: all.maxCalls,
    quotas: await all.quotas(),
    remainingMs: all.remainingMs(),
    callsOfCaller: all.callsOfCaller,
  });
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
