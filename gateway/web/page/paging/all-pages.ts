import { type PagedQuery, readPage, withRows } from '../../rows/page-query.js';
import type { Json } from '../../rows/path.js';
import type { AnswerError, Asked, FollowedPages } from '../answers/asked.js';
import { addUp } from './add-up.js';
import { askPatiently, type Patience, type Waiting } from './ask-patiently.js';

export interface Following extends Patience {
  readonly first: Asked;
  readonly paged: PagedQuery;
  /** Rows to stop at. */
  readonly cap: number;
  progress(progress: Progress): void;
}

/** How far it is. */
export interface Progress {
  readonly rows: number;
  /** Rows that there are up to the cap; null when the source does not tell. */
  readonly of: number | null;
  readonly calls: number;
  readonly waiting?: Waiting;
}

/** The answer with the rows of all pages that came, and why there are no more. */
export interface Followed extends FollowedPages {
  readonly asked: Asked;
}

/**
 * Follows the pages of a list to the end, the cap, a failure or the signal; what came until then is kept, with the
 * errors of every page. A page that lacks something because a quota is spent is asked again when the quota opens.
 */
export async function followPages(following: Following): Promise<Followed> {
  const { first, paged, cap, signal } = following;
  let asked = first;
  let page = readPage(first.answer.data, paged);
  const rows: Json[] = [...(page?.rows ?? [])];
  const errors: AnswerError[] = [...(first.answer.errors ?? [])];
  const of = page?.totalCount == null ? null : Math.min(page.totalCount, cap);
  const result = (end: Followed['end'], message: string | null = null): Followed => {
    // Within a page there is no cursor to go on from.
    const endCursor = rows.length > cap ? null : (page?.ownEnd ?? null);
    const last = { hasNextPage: end !== 'all', endCursor };
    const answer = joined(first, paged, { rows: rows.slice(0, cap), last, errors });
    const pages = { end, rows: Math.min(rows.length, cap), message };
    return { ...pages, asked: { ...asked, question: first.question, answer, pages } };
  };
  while (page?.endCursor != null && rows.length < cap) {
    const variables = { ...first.question.variables, [paged.variable]: page.endCursor };
    const progress = (waiting?: Waiting): void =>
      following.progress({ rows: rows.length, of, calls: callsOf(asked), ...(waiting && { waiting }) });
    let next: Asked;
    try {
      next = await askPatiently({ ...first.question, query: paged.query, variables }, following, progress);
    } catch (error) {
      return signal.aborted ? result('cancelled') : result('failed', error instanceof Error ? error.message : null);
    }
    asked = addUp(asked, next);
    const read = readPage(next.answer.data, paged);
    if (read === null) return result('failed', next.answer.errors?.[0]?.message ?? null);
    errors.push(...(next.answer.errors ?? []).map((error) => shifted(error, paged, rows.length)));
    page = read;
    rows.push(...read.rows);
    progress();
  }
  return result(rows.length > cap || page?.endCursor != null ? 'cap' : 'all');
}

interface AllRows {
  readonly rows: readonly Json[];
  readonly last: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly errors: readonly AnswerError[];
}

function joined({ answer }: Asked, paged: PagedQuery, { rows, last, errors }: AllRows) {
  const data = answer.data ? withRows(answer.data, paged, rows, last) : answer.data;
  return { ...answer, ...(data && { data }), ...(errors.length > 0 && { errors }) };
}

/** An error of a later page at its row's place among all rows. */
function shifted(error: AnswerError, { connection, list }: PagedQuery, by: number): AnswerError {
  const { path = [] } = error;
  const at = connection.length + 1;
  const row = path[at];
  if (typeof row !== 'number' || [...connection, list].some((key, index) => path[index] !== key)) return error;
  return { ...error, path: [...path.slice(0, at), row + by, ...path.slice(at + 1)] };
}

function callsOf({ trace }: Asked): number {
  return trace?.totals.callsMade ?? 0;
}
