import { stepsInTurns } from '../../../runtime/event-loop/steps-in-turns.js';
import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';
import { RequestError } from '../../http/request-error.js';
import { type Layout, layoutOf, shapeSteps } from '../rows/layout.js';
import { chooseListSteps } from '../rows/lists.js';
import { goesOn, MAX_ROWS, pageAt, readPage } from '../rows/page-query.js';
import { type JsonObject, readPath } from '../rows/path.js';
import { pickRows } from '../rows/pick-rows.js';
import { isTruncated, TRUNCATED } from '../rows/truncated.js';
import { type Following, followPages, noProgress, type PageResponse, type PagesSoFar } from './follow-pages.js';
import { costOfPage, refuseUnaffordable, type ScopeLeft } from './page-cost.js';
import { createFileResponse, type RowResponse } from './row-file-response.js';
import type { PagePlan, RowPlan } from './row-plan.js';
import type { RowRequest } from './row-request.js';
import type { RowCaller } from './row-turns.js';

/** Four times the data of the largest response: each row repeats the values of its parents. */
const MAX_SIZE = 128 * 1024 * 1024;

/**
 * The rows of the requested list. Null if errors left no value at all: an empty file would mean that there is no data.
 * Throws a RequestError for an unknown list, and `BAD_USER_INPUT` for an unknown column.
 */
export async function createRowResponse(
  page: PageResponse,
  request: RowRequest,
  plan: RowPlan | null,
  caller: RowCaller,
): Promise<RowResponse | null> {
  const { data, errorCount, callsMade } = page;
  if (data === null) return null;
  const choice = await stepsInTurns(caller, chooseListSteps(data, request.path));
  if ('unknown' in choice) throw unknownList(choice.known);
  const { path } = choice;
  const own = await layoutIn(data, path, caller);
  if (errorCount > 0 && !(await holdsAnything(own, data, caller))) return null;
  const planned = own.columns.length === 0 ? plan?.layoutAt(path) : null;
  // A column without any value in this response is still a column, and a list without rows still has its columns.
  const layout = {
    ...(planned ?? own),
    column: (name: string) => own.column(name) ?? plan?.layoutAt(path)?.column(name) ?? null,
  };
  const beyond = furtherRows(data, path);
  const cut = beyond === null && isTruncated(data, path) ? TRUNCATED : null;
  const soFar = { ...noProgress(), errors: errorCount, callsMade, services: [...page.services] };
  return createFileResponse({
    ...{ caller, path, request, layout, soFar, maxSize: MAX_SIZE },
    picker: pickRows(layout, request.choice),
    pages: only(data, soFar, cut),
    expectedCut: cut,
    beyond,
  });
}

/** What exporting all pages needs besides the first one. */
export interface AllPages extends Omit<Following, 'paged' | 'path'> {
  readonly caller: RowCaller;
  /** What is left of the quotas. */
  quotas(): Promise<readonly ScopeLeft[]>;
  /** Called once, when the last page was read or the reader disconnected. */
  ended(soFar: PagesSoFar): void;
}

/**
 * The rows of all pages of a list, given the first one; null as above. Throws `RATE_LIMITED` or `COST_EXCEEDED` if the
 * cost exceeds what is left.
 */
export async function createAllPagesResponse(
  first: PageResponse,
  request: RowRequest,
  { path, layout: planned, paged }: Pick<PagePlan, 'path' | 'layout' | 'paged'>,
  { caller, fetchAfter, maxCalls, remainingMs, quotas, ended }: AllPages,
): Promise<RowResponse | null> {
  if (first.data === null) return null;
  if (first.errorCount > 0 && !(await holdsAnything(planned, first.data, caller))) return null;
  const own = await layoutIn(first.data, path, caller);
  const holdsObjects = (name: string) => own.column(name)?.holdsObjects === true;
  const layout = { ...planned, column: (name: string) => (holdsObjects(name) ? own : planned).column(name) };
  const page = readPage(first.data, paged);
  if (page !== null && page.endCursor !== null && page.reach !== null && page.rows.length > 0) {
    const further = Math.ceil(Math.min(page.reach, MAX_ROWS) / page.rows.length) - 1;
    const perPage = costOfPage(first.calls, paged.connection.slice(0, -1).join('.'));
    const budget = { made: first.callsMade, maxCalls, quotas: await quotas(), remainingMs: remainingMs() };
    refuseUnaffordable(perPage, further, budget);
  }
  const soFar = noProgress();
  return createFileResponse({
    ...{ caller, path, request, layout, soFar, maxSize: MAX_SIZE },
    picker: pickRows(layout, request.choice),
    pages: untilEnd(followPages(first, soFar, { paged, path, fetchAfter, maxCalls, remainingMs }), () => ended(soFar)),
    expectedCut: isTruncated(first.data, path) ? TRUNCATED : cutByRows(page?.totalCount ?? 0, request),
    beyond: null,
  });
}

/** That a list exceeds the rows of a file; null if not, or if conditions may leave few enough of them. */
function cutByRows(total: number, { choice: { where, distinct } }: RowRequest): string | null {
  return total > MAX_ROWS && where.length === 0 && !distinct ? `the first ${MAX_ROWS} of ${total} rows` : null;
}

async function* only(data: JsonObject, soFar: PagesSoFar, cut: string | null): AsyncGenerator<JsonObject> {
  yield data;
  // What is cut off ends with these rows.
  soFar.cut = cut;
}

async function* untilEnd(pages: AsyncIterable<JsonObject>, ended: () => void): AsyncGenerator<JsonObject> {
  try {
    yield* pages;
  } finally {
    ended();
  }
}

async function layoutIn(data: JsonObject, path: string, caller: RowCaller): Promise<Layout> {
  const steps = readPath(path);
  return layoutOf(steps, await stepsInTurns(caller, shapeSteps(data, steps)));
}

async function holdsAnything(layout: Layout, data: JsonObject, caller: RowCaller): Promise<boolean> {
  for (const row of layout.rowsOf(data)) {
    if (row.cells().some((cell) => cell !== null)) return true;
    if (isTurnSpent()) await freshTurn(caller);
  }
  return false;
}

/** A note that the connection has more rows than the response; null if it has not, or if that is unknown. */
function furtherRows(data: JsonObject, path: string): string | null {
  const page = pageAt(data, path);
  if (page === null || !goesOn(page)) return null;
  const all = isTruncated(data, path) ? 'more, as far as its source gives them' : 'all';
  return `one page of ${page.rows.length} rows${page.totalCount === null ? '' : ` of ${page.totalCount}`}; pages=all gives ${all}`;
}

function unknownList(known: readonly string[]): RequestError {
  const lists = known.length === 0 ? 'It has none.' : `It has ${known.slice(0, 20).join(', ')}.`;
  return new RequestError(400, `\`path\` is not a list in this response. ${lists}`);
}
