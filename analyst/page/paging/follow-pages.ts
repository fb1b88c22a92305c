import { lackOf } from '../../../rows/extent.js';
import { type PagedQuery, readPage, withRows } from '../../../rows/page-query.js';
import { describeShortfall, PageSequence, type Shortfall } from '../../../rows/page-sequence.js';
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

/**
 * Follows the pages of a list until the end, the cap, a failure, pages without new rows or the signal, and returns what
 * has arrived by then, with all errors.
 */
export async function followPages(following: Following): Promise<Followed> {
  const { first, paged, cap, signal } = following;
  let result = first;
  let page = readPage(first.response.data, paged);
  const sequence = new PageSequence(paged);
  if (page !== null) sequence.add(page);
  const rows: Json[] = [...(page?.rows ?? [])];
  const errors: ResponseError[] = [...(first.response.errors ?? [])];
  const of = page?.totalCount == null ? null : Math.min(page.totalCount, cap);
  let shortfall: Shortfall | null = null;
  const finish = (end: Followed['end'], message: string | null = null): Followed => {
    // There is no cursor within a page, nor after the last one.
    const endCursor = rows.length > cap || shortfall !== null ? null : (page?.ownEnd ?? null);
    const last = { hasNextPage: end !== 'all', endCursor, complete: page?.complete ?? null };
    const { data } = first.response;
    const response = {
      ...first.response,
      ...(data && { data: withRows(data, paged, rows.slice(0, cap), last) }),
      ...(errors.length > 0 && { errors }),
    };
    const list = `${[...paged.connection, paged.list].join('.')}[]`;
    const pages = { end, list, rows: Math.min(rows.length, cap), message };
    const { request, asked } = first;
    return { ...pages, result: { ...result, request, response, pages, ...(asked && { asked }) } };
  };
  while (page?.endCursor != null && rows.length < cap) {
    let next: QueryResult;
    try {
      next = await following.send(nextPageOf(first, paged, page.endCursor), signal);
    } catch (error) {
      return signal.aborted ? finish('cancelled') : finish('failed', error instanceof Error ? error.message : null);
    }
    result = combine(result, next);
    const read = readPage(next.response.data, paged);
    const failures = next.response.errors ?? [];
    // What a spent quota left out of this page would be missing for good: after its reset, it goes on from here.
    const why = failures.find(({ extensions }) => extensions?.code === 'RATE_LIMITED') ?? failures[0];
    if (read === null || why?.extensions?.code === 'RATE_LIMITED')
      return finish('failed', why === undefined ? null : describeError(why));
    shortfall = sequence.add(read);
    if (shortfall !== null) return finish('failed', describeShortfall(shortfall, language.get()));
    errors.push(...failures.map((error) => shifted(error, paged, rows.length)));
    page = read;
    rows.push(...read.rows);
    following.progress({ rows: rows.length, of, calls: result.trace?.totals.callsMade ?? 0 });
  }
  if (rows.length > cap || page?.endCursor != null) return finish('cap');
  // The rows before a cursor are not in the response, but in the total.
  shortfall = page === null || paged.startOf(first.request.variables ?? {}) ? null : sequence.lack(page);
  return shortfall === null ? finish('all') : finish('failed', describeShortfall(shortfall, language.get()));
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
