import { type PagedQuery, readPage, withRows } from '../../../rows/page-query.js';
import type { Json } from '../../../rows/path.js';
import { describeError } from '../responses/error-meanings.js';
import type { FollowedPages, QueryResult, ResponseError } from '../responses/query-result.js';
import { combine } from './combine.js';
import { type FetchOptions, fetchWhenAllowed, type Waiting } from './fetch-when-allowed.js';

/** The pages to follow. */
export interface Following extends FetchOptions {
  readonly first: QueryResult;
  readonly paged: PagedQuery;
  /** Rows to stop at. */
  readonly cap: number;
  progress(progress: Progress): void;
}

/** Progress of following the pages. */
export interface Progress {
  readonly rows: number;
  /** Total number of rows, up to the cap; null if the source does not report it. */
  readonly of: number | null;
  readonly calls: number;
  readonly waiting?: Waiting;
}

/** The result with the rows of all pages received, and why there are no more. */
export interface Followed extends FollowedPages {
  readonly result: QueryResult;
}

/**
 * Follows the pages of a list until the end, the cap, a failure or the signal, and returns what has arrived by then,
 * with all errors. A page that is incomplete because a quota is used up is requested again after its reset.
 */
export async function followPages(following: Following): Promise<Followed> {
  const { first, paged, cap, signal } = following;
  let result = first;
  let page = readPage(first.response.data, paged);
  const rows: Json[] = [...(page?.rows ?? [])];
  const errors: ResponseError[] = [...(first.response.errors ?? [])];
  const of = page?.reach == null ? null : Math.min(page.reach, cap);
  const finish = (end: Followed['end'], message: string | null = null): Followed => {
    // There is no cursor within a page.
    const endCursor = rows.length > cap ? null : (page?.ownEnd ?? null);
    const last = { hasNextPage: end !== 'all', endCursor };
    const response = joined(first, paged, { rows: rows.slice(0, cap), last, errors });
    const list = `${[...paged.connection, paged.list].join('.')}[]`;
    const pages = { end, list, rows: Math.min(rows.length, cap), message };
    return { ...pages, result: { ...result, request: first.request, response, pages } };
  };
  while (page?.endCursor != null && rows.length < cap) {
    const variables = { ...first.request.variables, [paged.variable]: page.endCursor };
    const progress = (waiting?: Waiting): void =>
      following.progress({ rows: rows.length, of, calls: callsOf(result), ...(waiting && { waiting }) });
    let next: QueryResult;
    try {
      next = await fetchWhenAllowed({ ...first.request, query: paged.query, variables }, following, progress);
    } catch (error) {
      return signal.aborted ? finish('cancelled') : finish('failed', error instanceof Error ? error.message : null);
    }
    result = combine(result, next);
    const read = readPage(next.response.data, paged);
    const [why] = next.response.errors ?? [];
    if (read === null) return finish('failed', why === undefined ? null : describeError(why));
    errors.push(...(next.response.errors ?? []).map((error) => shifted(error, paged, rows.length)));
    page = read;
    rows.push(...read.rows);
    progress();
  }
  return finish(rows.length > cap || page?.endCursor != null ? 'cap' : 'all');
}

interface AllRows {
  readonly rows: readonly Json[];
  readonly last: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly errors: readonly ResponseError[];
}

function joined({ response }: QueryResult, paged: PagedQuery, { rows, last, errors }: AllRows) {
  const data = response.data ? withRows(response.data, paged, rows, last) : response.data;
  return { ...response, ...(data && { data }), ...(errors.length > 0 && { errors }) };
}

/** An error of a later page, with the index of its row among all rows. */
function shifted(error: ResponseError, { connection, list }: PagedQuery, by: number): ResponseError {
  const { path = [] } = error;
  const at = connection.length + 1;
  const row = path[at];
  if (typeof row !== 'number' || [...connection, list].some((key, index) => path[index] !== key)) return error;
  return { ...error, path: [...path.slice(0, at), row + by, ...path.slice(at + 1)] };
}

function callsOf({ trace }: QueryResult): number {
  return trace?.totals.callsMade ?? 0;
}
