import { allPages } from '../../../rows/all-pages.js';
import { lackOf } from '../../../rows/extent.js';
import { type Page, type PagedQuery, readPage, withRows } from '../../../rows/page-query.js';
import type { Json } from '../../../rows/path.js';
import { describeError } from '../request/error-codes.js';
import { sendQuery } from '../request/send-query.js';
import { language, textsNow } from '../state/language.js';
import { changePage, notify, type Progress, page, resultOf, setResult } from '../state/page-state.js';
import {
  combine,
  type FollowedPages,
  type GraphqlRequest,
  type QueryResult,
  type ResponseError,
} from '../state/query-result.js';
import { nextPageOf } from './paging.js';
import { PAGING_TEXTS } from './texts.js';

/** The pages to follow, and how to send requests. */
interface Following {
  readonly first: QueryResult;
  readonly paged: PagedQuery;
  /** Rows to stop at. */
  readonly cap: number;
  progress(progress: Progress): void;
  readonly signal: AbortSignal;
  send(request: GraphqlRequest, signal: AbortSignal): Promise<QueryResult>;
}

/** The result with the rows of all pages received, and why there are no more. */
interface Followed extends FollowedPages {
  readonly result: QueryResult;
}

/** The limit of rows, as what ends the pages. */
const CAP = 'cap';

/**
 * Follows the pages of a list until the end, the cap, a failure, pages without new rows or the signal, and returns what
 * has arrived by then, with all errors.
 */
export async function followPages({ first, paged, cap, signal, progress, send }: Following): Promise<Followed> {
  const list = `${[...paged.connection, paged.list].join('.')}[]`;
  const rows: Json[] = [];
  const errors: ResponseError[] = [];
  let [result, latest] = [first, first];
  let page: Page | null = null;
  const pages = allPages(first.response, {
    ...{ paged, path: list, language: language.get() },
    isLater: Boolean(paged.startOf(first.request.variables ?? {})),
    limit: () => (rows.length < cap ? null : CAP),
    async fetchAfter(cursor) {
      latest = await send(nextPageOf(first, paged, cursor), signal);
      result = combine(result, latest);
      refuseGaps(latest, paged);
      return latest.response;
    },
  });
  let [end, message]: [Followed['end'], string | null] = ['failed', null];
  // There is no cursor within a page, nor after the last one.
  let hasCursor = true;
  try {
    let step = await pages.next();
    for (; step.done !== true; step = await pages.next()) {
      page = step.value;
      errors.push(...(latest.response.errors ?? []).map((error) => shifted(error, paged, rows.length)));
      rows.push(...page.rows);
      const of = page.totalCount === null ? null : Math.min(page.totalCount, cap);
      progress({ rows: rows.length, of, calls: result.trace?.totals.callsMade ?? 0 });
    }
    if (rows.length > cap || step.value === CAP) end = 'cap';
    else if (step.value === null) end = 'all';
    else message = step.value;
    hasCursor = rows.length <= cap && message === null;
  } catch (error) {
    if (signal.aborted) end = 'cancelled';
    else if (error instanceof Error) message = error.message || null;
  }
  const endCursor = hasCursor ? (page?.ownEnd ?? null) : null;
  const last = { hasNextPage: end !== 'all', endCursor, complete: page?.complete ?? null };
  const { data } = first.response;
  const response = {
    ...first.response,
    ...(data && { data: withRows(data, paged, rows.slice(0, cap), last) }),
    ...(errors.length > 0 && { errors }),
  };
  const ended = { end, list, rows: Math.min(rows.length, cap), message };
  const { request, asked } = first;
  return { ...ended, result: { ...result, request, response, pages: ended, ...(asked && { asked }) } };
}

/** Throws for a page without its list, and for what a spent quota left out: after its reset, it goes on from here. */
function refuseGaps({ response: { data, errors = [] } }: QueryResult, paged: PagedQuery): void {
  const spent = errors.find(({ extensions }) => extensions?.code === 'RATE_LIMITED');
  if (spent === undefined && readPage(data, paged) !== null) return;
  const why = spent ?? errors[0];
  throw new Error(why && describeError(why));
}

/** An error of a later page, with the index of its row among all rows. */
function shifted(error: ResponseError, { connection, list }: PagedQuery, by: number): ResponseError {
  const { path = [] } = error;
  const at = connection.length + 1;
  const row = path[at];
  if (typeof row !== 'number' || [...connection, list].some((key, index) => path[index] !== key)) return error;
  return { ...error, path: [...path.slice(0, at), row + by, ...path.slice(at + 1)] };
}

/** Follows the pages of the active tab's list and stores all rows. A new response in the tab cancels it. */
export async function startFollowing(first: QueryResult, paged: PagedQuery, cap: number): Promise<void> {
  const tab = page.get().tab;
  const stop = new AbortController();
  const cancel = (): void => stop.abort();
  const progress = (now: Progress): void => changePage({ following: { tab, progress: now, cancel } });
  const isCurrent = (): boolean => resultOf(tab) === first;
  const unwatch = page.watch(() => isCurrent() || cancel());
  progress({ rows: 0, of: null, calls: 0 });
  const { signal } = stop;
  const followed = await followPages({
    ...{ first, paged, cap, signal, progress },
    send: (request) => sendQuery(request, { signal, headers: first.headers }),
  });
  unwatch();
  changePage({ following: null });
  if (!isCurrent()) return;
  setResult(tab, followed.result);
  notify(() => describeEnd(followed), tab);
}

function describeEnd({ rows, end, list, message, result }: Followed): string {
  const texts = textsNow(PAGING_TEXTS);
  const all = texts.rows(rows);
  switch (end) {
    case 'all':
      return lackOf(result.response.data, list) === null ? texts.all(all) : texts.allGiven(all);
    case 'cap':
      return texts.stoppedAt(all);
    case 'cancelled':
      return texts.cancelledAfter(all);
    case 'failed':
      return texts.stoppedAfter(all, message);
  }
}
