import type { Json } from '../../rows/path.js';
import type { Asked, Question } from '../asking/asked.js';
import { type PagedQuestion, readPage, withRows } from './page-query.js';

/** What is known before the first further page is asked for. */
export interface Forecast {
  /** Further pages up to the cap; null when the source does not tell how many rows there are. */
  readonly pages: number | null;
  /** Upstream calls that a page cost so far. */
  readonly callsPerPage: number;
}

/** What further pages will cost, judged by the page that is there. */
export function forecast(asked: Asked, paged: PagedQuestion, cap: number): Forecast {
  const page = readPage(asked.answer.data, paged);
  const size = page?.rows.length ?? 0;
  const left = page?.totalCount == null ? null : Math.min(page.totalCount, cap) - size;
  return {
    pages: left === null || size === 0 ? null : Math.max(0, Math.ceil(left / size)),
    callsPerPage: asked.trace === null ? 0 : asked.trace.totals.callsMade + asked.trace.totals.savedByCache,
  };
}

export interface Following {
  readonly first: Asked;
  readonly paged: PagedQuestion;
  /** Rows to stop at. */
  readonly cap: number;
  readonly signal: AbortSignal;
  ask(question: Question, signal: AbortSignal): Promise<Asked>;
  progress(rows: number, calls: number): void;
}

/** The answer with the rows of all pages that came, and why there are no more. */
export interface Followed {
  readonly asked: Asked;
  readonly rows: number;
  readonly end: 'all' | 'cap' | 'cancelled' | 'failed';
  readonly message: string | null;
}

/** Follows the pages of a list to the end, the cap, a failure or the signal; what came until then is kept. */
export async function followPages({ first, paged, cap, signal, ask, progress }: Following): Promise<Followed> {
  let asked = first;
  let page = readPage(first.answer.data, paged);
  let rows: Json[] = [...(page?.rows ?? [])];
  const result = (end: Followed['end'], message: string | null = null): Followed => {
    const data = first.answer.data ? withRows(first.answer.data, paged, rows) : first.answer.data;
    return {
      asked: { ...asked, question: first.question, answer: { ...first.answer, ...(data && { data }) } },
      rows: rows.length,
      end,
      message,
    };
  };
  while (page?.endCursor != null && rows.length < cap) {
    const variables = { ...first.question.variables, [paged.variable]: page.endCursor };
    let next: Asked;
    try {
      next = await ask({ ...first.question, query: paged.query, variables }, signal);
    } catch (error) {
      return signal.aborted ? result('cancelled') : result('failed', error instanceof Error ? error.message : null);
    }
    const read = readPage(next.answer.data, paged);
    if (read === null) return result('failed', next.answer.errors?.[0]?.message ?? null);
    page = read;
    rows = [...rows, ...read.rows];
    asked = addUp(asked, next);
    progress(rows.length, asked.trace?.totals.callsMade ?? 0);
  }
  if (rows.length <= cap) return result(page?.endCursor == null ? 'all' : 'cap');
  rows = rows.slice(0, cap);
  return result('cap');
}

/** Two pages as one answer: times, bytes and calls together, the last trace's plan. */
function addUp(before: Asked, next: Asked): Asked {
  const ms = before.ms + next.ms;
  const bytes = before.bytes + next.bytes;
  if (before.trace === null || next.trace === null) return { ...next, ms, bytes };
  const [one, other] = [before.trace.totals, next.trace.totals];
  const totals = {
    callsMade: one.callsMade + other.callsMade,
    savedByCache: one.savedByCache + other.savedByCache,
    savedBySharing: one.savedBySharing + other.savedBySharing,
  };
  return { ...next, ms, bytes, trace: { ...next.trace, totals } };
}
