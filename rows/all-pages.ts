import { lackOf } from './extent.js';
import { MAX_ROWS, type Page, type PagedQuery, readPage } from './page-query.js';
import { isObject, type Json, type JsonObject } from './path.js';

/** The response to the query of one page. */
interface PageResponse {
  readonly data?: JsonObject | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** How the pages of a list are asked for. */
interface Asking {
  readonly paged: Pick<PagedQuery, 'connection' | 'list' | 'id'>;
  /** The list whose rows are read: that of the pages, or one inside its rows. */
  readonly path: string;
  /** Whether the first page begins after a cursor: the rows before it are in the total alone. */
  readonly isLater: boolean;
  /** Asks for the page after a cursor. */
  fetchAfter(cursor: string): Promise<PageResponse>;
  /** Why no further page is asked for; null if one is. */
  limit(): string | null;
  /** Why the rows of a page are not whole; null if they are. */
  lackIn?(data: JsonObject): string | null;
  readonly language: keyof typeof TEXTS;
}

/** Rows by which one page alone shows that it repeats others: a few may be alike, or move between pages, by chance. */
const TELLING_ROWS = 10;
/** Pages in a row without a new row after which no more are read. */
const IDLE_PAGES = 2;
/** The same of empty pages in a list without a total: few of many rows that were read for them may match. */
const IDLE_PAGES_UNCOUNTED = 10;

/**
 * Yields each page of a list, starting with the first, until the list ends, or a limit, a failure or pages without new
 * rows cut it off. Returns why these are not the whole list; null if they are. A page is asked for when the one before
 * it has been consumed. Rejects as `fetchAfter` does.
 *
 * A source may ignore where a page begins, report more rows than it has, or move rows from one page to another: only the
 * rows themselves show it.
 */
export async function* allPages(
  first: PageResponse,
  { paged, path, isLater, fetchAfter, limit, lackIn = () => null, language }: Asking,
): AsyncGenerator<Page & { readonly data: JsonObject }, string | null> {
  const texts = TEXTS[language];
  const countNew = paged.id === null ? differingRows() : unseenRows(paged);
  let page = first;
  let lack: string | null = null;
  let cursor: string | null = null;
  let [found, idle] = [0, 0];
  for (let number = 1; ; number += 1) {
    const { data = null, errors = [] } = page;
    const read = readPage(data, paged);
    // Without an error, a null list is a valid response without rows.
    if (read === null || data === null) return errors[0] === undefined ? null : texts.failed(errors[0].message);
    const { rows, totalCount, hasNext, endCursor } = read;
    const fresh = countNew(rows);
    found += fresh;
    idle = fresh === 0 ? idle + 1 : 0;
    const given = texts.given(found, totalCount);
    const most = rows.length > 0 || totalCount !== null ? IDLE_PAGES : IDLE_PAGES_UNCOUNTED;
    if (number > 1 && fresh === 0 && (idle >= most || rows.length >= TELLING_ROWS)) {
      // A list that its source truncates ends before its total.
      return rows.length > 0 ? `${texts.repeated(number)}${given}` : (lack ?? `${texts.empty(idle)}${given}`);
    }
    lack ??= lackIn(data);
    yield { ...read, data };
    if (endCursor === null) {
      // A page without rows has no cursor: `first` is 0, or the source returned fewer rows than it reports.
      if (hasNext !== false) return texts.noCursor;
      const isLost = !isLater && totalCount !== null && found < totalCount && lackOf(data, path) !== 'truncated';
      return isLost ? given : lack;
    }
    const reason = endCursor === cursor ? texts.samePage : limit();
    if (reason !== null) return reason;
    cursor = endCursor;
    page = await fetchAfter(cursor);
  }
}

/**
 * Counts the rows of each page that no earlier one had, by their identifiers. Repetition within a page means nothing;
 * rows that cannot be read are new, and so are all after as many as a file may hold.
 */
function unseenRows({ id, list }: Asking['paged']): (rows: readonly Json[]) => number {
  const seen = new Set<string>();
  const idOf = (row: Json): string | null => {
    const node = list === 'edges' && isObject(row) ? row['node'] : row;
    const value = id !== null && isObject(node) ? node[id] : null;
    return typeof value === 'string' ? value : null;
  };
  return (rows) => {
    const ids = rows.map(idOf);
    const fresh = ids.filter((one) => one === null || !seen.has(one)).length;
    for (const one of ids) if (one !== null && seen.size < MAX_ROWS) seen.add(one);
    return fresh;
  };
}

/**
 * Without identifiers: counts all rows of a page, or none if they are the previous page's and are too many different
 * ones to be alike by chance.
 */
function differingRows(): (rows: readonly Json[]) => number {
  let previous: string | null = null;
  return (rows) => {
    const texts = rows.map((row) => JSON.stringify(row));
    const text = texts.join();
    const isRepeated = text === previous && new Set(texts).size >= TELLING_ROWS;
    previous = text;
    return isRepeated ? 0 : rows.length;
  };
}

const TEXTS = {
  en: {
    given: (rows: number, of: number | null) =>
      `the source gave ${rows} different rows${of === null ? '' : ` of ${of}`}`,
    repeated: (page: number) => `page ${page} has only rows of earlier pages: `,
    empty: (pages: number) => `${pages} pages in a row are empty: `,
    failed: (why: string) => `the next page failed: ${why}`,
    noCursor: 'this page does not lead to the next one',
    samePage: 'the source returned the same page twice',
  },
  fr: {
    given: (rows: number, of: number | null) =>
      `la source a donné ${rows} lignes différentes${of === null ? '' : ` sur ${of}`}`,
    repeated: (page: number) => `la page ${page} n’a que des lignes de pages précédentes : `,
    empty: (pages: number) => `${pages} pages de suite sont vides : `,
    failed: (why: string) => `la page suivante a échoué : ${why}`,
    noCursor: 'cette page ne mène pas à la suivante',
    samePage: 'la source a renvoyé deux fois la même page',
  },
};
