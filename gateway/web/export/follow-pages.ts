import type { UpstreamCall } from '../../../schema/trace.js';
import { type PagedQuery, readPage } from '../rows/page-query.js';
import type { JsonObject } from '../rows/path.js';
import { MAX_CALLS } from './page-cost.js';

/** One page as it was answered. */
export interface PageResponse {
  readonly data: JsonObject | null;
  readonly errors: readonly { readonly message: string }[];
  /** Errors in all: an answer lists the first ones only. */
  readonly errorCount: number;
  readonly calls: readonly UpstreamCall[];
  readonly callsMade: number;
}

/** How pages are fetched and for how long. */
export interface Following {
  readonly paged: PagedQuery;
  /** Fetches the page after a cursor. Never rejects. */
  fetchAfter(cursor: string): Promise<PageResponse>;
  /** Milliseconds left for all pages together. */
  remainingMs(): number;
}

/** What became of the pages so far. */
export interface PagesSoFar {
  pages: number;
  callsMade: number;
  /** Rows that were written. */
  rows: number;
  errors: number;
  /** How many errors the headers reported; null until they are sent. */
  toldErrors: number | null;
  /** Why there are no more although the list continues; null as long as nothing is missing. */
  cut: string | null;
}

export function nothingSoFar(): PagesSoFar {
  return { pages: 0, callsMade: 0, rows: 0, errors: 0, toldErrors: null, cut: null };
}

/** Less than this is not enough time to fetch another page. */
const MIN_MS = 100;

/**
 * The data of each page, starting with the first, which is there already, until the list ends or a bound or a failure
 * cuts it off, which `soFar` says. A page is fetched when the one before was taken.
 */
export async function* followPages(
  first: PageResponse,
  soFar: PagesSoFar,
  following: Following,
): AsyncGenerator<JsonObject> {
  const { paged } = following;
  let page = first;
  for (let cursor: string | null = null; ; ) {
    soFar.pages += 1;
    soFar.callsMade += page.callsMade;
    soFar.errors += page.errorCount;
    const read = readPage(page.data, paged);
    if (read === null || page.data === null) {
      // Without an error the list is null, which is an answer: there are no rows.
      if (page.errors.length > 0) soFar.cut = `the next page failed: ${page.errors[0]?.message}`;
      return;
    }
    yield page.data;
    if (read.endCursor === null) return;
    soFar.cut = whyNoMore(read.endCursor === cursor, soFar.callsMade, following.remainingMs());
    if (soFar.cut !== null) return;
    cursor = read.endCursor;
    page = await following.fetchAfter(cursor);
  }
}

function whyNoMore(isSamePage: boolean, callsMade: number, remainingMs: number): string | null {
  if (isSamePage) return 'the source gave the same page twice';
  if (callsMade >= MAX_CALLS) return `one request may make ${MAX_CALLS} calls`;
  return remainingMs < MIN_MS ? 'the time for one request is over' : null;
}
