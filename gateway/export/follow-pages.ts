import type { UpstreamCall } from '../../kernel/trace.js';
import { errorsIn } from '../../rows/extent.js';
import type { ListLimit } from '../../rows/list-limits.js';
import { type PagedQuery, readPage } from '../../rows/page-query.js';
import { type JsonObject, readPath } from '../../rows/path.js';
import type { ExportProgress } from './export-progress.js';
import { furtherInnerRows } from './further-rows.js';

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
}

/** How to fetch further pages, and for how long. */
export interface Following {
  readonly paged: PagedQuery;
  /** The list whose rows are written. */
  readonly path: string;
  /** Those of the lists on that path. */
  readonly limits: readonly ListLimit[];
  /** Fetches the page after a cursor. Never rejects. */
  fetchAfter(cursor: string): Promise<PageResponse>;
  /** Upstream calls that all pages together may make. */
  readonly maxCalls: number;
  /** Milliseconds left for all pages together. */
  remainingMs(): number;
}

/** Time needed to fetch another page. */
const MIN_MS = 100;

/**
 * Yields the data of each page, starting with the first, until the list ends or a limit or failure cuts it off, as
 * recorded in `soFar`. A page is fetched when the previous one has been consumed.
 */
export async function* followPages(
  first: PageResponse,
  soFar: ExportProgress,
  following: Following,
): AsyncGenerator<JsonObject> {
  const { paged, path, limits } = following;
  const steps = readPath(path);
  let page = first;
  let lack: string | null = null;
  for (let cursor: string | null = null; ; ) {
    soFar.pages += 1;
    soFar.callsMade += page.callsMade;
    soFar.services = [...new Set([...soFar.services, ...page.services])];
    soFar.errors += page.errorCount;
    soFar.failed += errorsIn(page, steps);
    const read = readPage(page.data, paged);
    if (read === null || page.data === null) {
      // Without an error, a null list is a valid response without rows.
      if (page.errors.length > 0) soFar.cutOff(`the next page failed: ${page.errors[0]?.message}`);
      return;
    }
    lack ??= furtherInnerRows(page.data, path, { limits, pageNumber: soFar.pages });
    yield page.data;
    if (read.endCursor === null) {
      // A page without rows has no cursor: `first` is 0, or the source returned fewer rows than it reports.
      if (read.hasNext !== false) soFar.cutOff('this page does not lead to the next one');
      else if (lack !== null) soFar.cutOff(lack);
      return;
    }
    const reason = cutReason(read.endCursor === cursor, soFar, following);
    if (reason !== null) {
      soFar.cutOff(reason);
      return;
    }
    cursor = read.endCursor;
    page = await following.fetchAfter(cursor);
  }
}

function cutReason(
  isSamePage: boolean,
  { callsMade }: ExportProgress,
  { maxCalls, remainingMs }: Following,
): string | null {
  if (isSamePage) return 'the source returned the same page twice';
  if (callsMade >= maxCalls) return `one request may make ${maxCalls} calls`;
  return remainingMs() < MIN_MS ? 'the deadline of the request was exceeded' : null;
}
