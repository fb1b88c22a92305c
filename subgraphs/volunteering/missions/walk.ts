import type { Awaitable } from '../../../kernel/awaitable.js';
import { forEachInTurns } from '../../../runtime/event-loop/turns.js';
import { orNull } from '../../rest/shape.js';
import { isView, type ListQuery, type OffsetPage } from '../values/lists.js';
import { MAX_ROWS } from './client.js';

/** Most pages of a walk: twice what the service has, in three fifths of the time that a request has (volunteering 6.1). */
export const MOST_PAGES = 60;

/** A row by what it is told from others, and by what the service sorts. */
interface Dated {
  readonly id: string | null;
  readonly startAt: string | null;
}

/** Reads rows of a list. The filter is added to that of the list. */
export type Search<R> = (query: ListQuery) => Awaitable<OffsetPage<R> | null>;

/**
 * All rows of a list by identifier, in its order, read page by page; the first may have been read. `total` is how many
 * the source has, null if it does not say; `complete` if they are all there. A page begins with the first row of the
 * same start as the last one before: their order may change from call to call, so each is kept once. Those without an
 * identifier are left out. They are gathered in turns of the event loop.
 */
export async function readAll<R extends Dated>(
  search: Search<R>,
  { first = null, most = MOST_PAGES }: { readonly first?: OffsetPage<R> | null; readonly most?: number } = {},
) {
  const rows = new Map<string, R>();
  let page = first;
  let total: number | null = null;
  let skip = 0;
  for (let pages = 0; pages < most; pages++) {
    page ??= await search({ filter: [], skip, limit: MAX_ROWS });
    const before = rows.size;
    await forEachInTurns(page?.rows ?? [], (row) => {
      const id = isView(row) ? orNull(() => row.id) : null;
      if (id) rows.set(id, row as R);
    });
    total = totalOf(page);
    if (page === null || total === null || rows.size === before || skip + page.rows.length >= total) break;
    skip = nextSkip(page, skip);
    page = null;
  }
  // Without a total, a short page may only mean that the source serves no larger ones.
  return { rows, total, complete: total !== null && rows.size >= total };
}

/** Where the page after this one begins: at most halfway back, however many rows have the same start. */
export function nextSkip({ rows }: OffsetPage<Dated>, skip: number): number {
  const starts = rows.map((row) => (isView(row) ? orNull(() => row.startAt) : null));
  const tie = starts.findLastIndex((start) => start !== starts.at(-1)) + 1;
  return skip + Math.max(tie, Math.ceil(rows.length / 2));
}

/** The source's count; null if it does not say, or the count cannot be read. */
export function totalOf(page: OffsetPage<unknown> | null): number | null {
  return typeof page?.total === 'number' ? page.total : null;
}
