import { MAX_ROWS, type Page, type PagedQuery } from './page-query.js';
import { isObject, type Json } from './path.js';

/** Rows by which one page alone shows that it repeats others: a few may be alike, or move between pages, by chance. */
const TELLING_ROWS = 10;
/** Pages in a row without a new row after which no more are read. */
const IDLE_PAGES = 2;
/** The same of empty pages in a list without a total: few of many rows that were read for them may match. */
const IDLE_PAGES_UNCOUNTED = 10;

/** Why a list ends before its source says so, or lacks rows at its end. */
export interface Shortfall {
  readonly kind: 'repeated' | 'empty' | 'lost';
  /** Number of the last page, from 1. */
  readonly page: number;
  /** How many pages in a row, up to that one, had no row that an earlier one did not have. */
  readonly idle: number;
  /** Rows that no earlier page had. */
  readonly rows: number;
  /** Rows that the source reports; null if it does not. */
  readonly of: number | null;
}

/**
 * The pages of a list as they are read. A source may ignore where a page begins, report more rows than it has, or move
 * rows from one page to another: only the rows themselves show it. They are compared by their identifiers, or without
 * these, by the whole content of two pages in a row.
 */
export class PageSequence {
  readonly #paged: Pick<PagedQuery, 'list' | 'id'>;
  readonly #ids = new Set<string>();
  #previous: string | null = null;
  #pages = 0;
  #rows = 0;
  #idle = 0;

  constructor(paged: Pick<PagedQuery, 'list' | 'id'>) {
    this.#paged = paged;
  }

  /** Adds the next page. Returns why no page after it is worth a call, and it is not worth showing; null if one is. */
  add({ rows, totalCount }: Pick<Page, 'rows' | 'totalCount'>): Shortfall | null {
    const fresh = this.#paged.id === null ? this.#differing(rows) : this.#unseen(rows);
    this.#pages += 1;
    this.#rows += fresh;
    this.#idle = fresh === 0 ? this.#idle + 1 : 0;
    const most = rows.length > 0 || totalCount !== null ? IDLE_PAGES : IDLE_PAGES_UNCOUNTED;
    if (this.#pages === 1 || fresh > 0 || (this.#idle < most && rows.length < TELLING_ROWS)) return null;
    return this.#shortfall(rows.length === 0 ? 'empty' : 'repeated', totalCount);
  }

  /** What the list lacks, read from its first page to its last, which this is; null if nothing is known to be missing. */
  lack({ totalCount }: Pick<Page, 'totalCount'>): Shortfall | null {
    return totalCount !== null && this.#rows < totalCount ? this.#shortfall('lost', totalCount) : null;
  }

  #shortfall(kind: Shortfall['kind'], of: number | null): Shortfall {
    return { kind, page: this.#pages, idle: this.#idle, rows: this.#rows, of };
  }

  /**
   * Rows that no earlier page had. Repetition within a page means nothing; rows that cannot be read are new, and so are
   * all after as many as a file may hold.
   */
  #unseen(rows: readonly Json[]): number {
    const ids = rows.map((row) => this.#idOf(row));
    const fresh = ids.filter((id) => id === null || !this.#ids.has(id)).length;
    for (const id of ids) if (id !== null && this.#ids.size < MAX_ROWS) this.#ids.add(id);
    return fresh;
  }

  #idOf(row: Json): string | null {
    const { id, list } = this.#paged;
    const node = list === 'edges' && isObject(row) ? row['node'] : row;
    const value = id !== null && isObject(node) ? node[id] : null;
    return typeof value === 'string' ? value : null;
  }

  /** All rows, or none if they are the previous page's and are too many different ones to be alike by chance. */
  #differing(rows: readonly Json[]): number {
    const texts = rows.map((row) => JSON.stringify(row));
    const text = texts.join();
    const isRepeated = text === this.#previous && new Set(texts).size >= TELLING_ROWS;
    this.#previous = text;
    return isRepeated ? 0 : rows.length;
  }
}

const TEXTS = {
  en: {
    given: (rows: number, of: number | null) =>
      `the source gave ${rows} different rows${of === null ? '' : ` of ${of}`}`,
    repeated: (page: number) => `page ${page} has only rows of earlier pages: `,
    empty: (_page: number, idle: number) => `${idle} pages in a row are empty: `,
    lost: () => '',
  },
  fr: {
    given: (rows: number, of: number | null) =>
      `la source a donné ${rows} lignes différentes${of === null ? '' : ` sur ${of}`}`,
    repeated: (page: number) => `la page ${page} n’a que des lignes de pages précédentes : `,
    empty: (_page: number, idle: number) => `${idle} pages de suite sont vides : `,
    lost: () => '',
  },
};

/** What is missing and why, for a file. */
export function describeShortfall({ kind, page, idle, rows, of }: Shortfall, language: keyof typeof TEXTS): string {
  const texts = TEXTS[language];
  return `${texts[kind](page, idle)}${texts.given(rows, of)}`;
}
