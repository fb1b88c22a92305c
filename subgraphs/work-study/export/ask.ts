/**
 * Questions to a loaded export, as SQL. All that a question needs of a row is one of these:
 *
 * - an expression over the index of terms and words (`words match`), which gives numbers of rows in the order of
 *   publication: nearly every filter is part of it;
 * - conditions on the row in `offer`, for what is no code: moments, and the exact distance.
 *
 * Pages begin after a key rather than at an offset, so the last costs as much as the first. A list in another order than
 * that of publication is sorted if few rows match; else the index of its order is walked until the page is full.
 */
import type { Sqlite, Value } from '../../../database/sqlite.js';
import type { Position } from '../../codes/places.js';
import { cellsAround, kmOf, pointOnSphere, squaredChordOf } from './sphere.js';
import { type DimensionName, GROUPED_TERM, LISTED, MAX_WORD, OPEN_TERM, termOf } from './stored-rows.js';

/** What is asked: conditions, all of which a row has to meet. */
export interface Question {
  readonly kind: 'OFFER' | 'RECRUITER';
  /** Statuses, in the words of the graph; null for any. */
  readonly statuses: readonly string[] | null;
  readonly near: { readonly position: Position; readonly radiusKm: number } | null;
  /** Lists of terms, of each of which a row must have one. */
  readonly terms: readonly (readonly string[])[];
  /** Terms of which a row must have none. */
  readonly without: readonly string[];
  /** Times strictly between bounds, in milliseconds since 1970. */
  readonly times: readonly { readonly of: 'created' | 'starts'; readonly after: number; readonly before: number }[];
  /** Offers that expire by then are left out; null keeps all. In milliseconds since 1970. */
  readonly validAt: number | null;
  /** Words, all of which a row must have in one of their forms; the last may be the beginning of one. */
  readonly words: readonly (readonly string[])[];
  /** Offers of one post are one row, the first of those that match in this order; null keeps all. */
  readonly grouped: Order | null;
}

/** By what a list is sorted, ascending but for `CREATION`. Equal rows are in the order of the export. */
export type Order = 'DISTANCE' | 'CREATION' | 'START' | 'TITLE' | 'WORKPLACE';

/** A place in a sorted list: what it is sorted by, and the row's place in the export. */
export interface Place {
  readonly key: number;
  readonly row: number;
}

/** A row of the file: its place in the export, and its bytes. */
export interface RowAt {
  readonly row: number;
  readonly bytes: number;
}

/** A row of a page. */
export interface FoundRow extends RowAt, Place {
  /** Kilometres to the point of the question; null without one. */
  readonly km: number | null;
  /** The other offers of the post that match, in the order of the export, and the bits of `SIGNALS` that all share. */
  readonly others: readonly RowAt[];
  readonly signals: number;
}

/** One page of a list. */
export interface FoundPage {
  readonly rows: readonly FoundRow[];
  readonly hasMore: boolean;
}

/** Which page to find. */
export interface PageWanted {
  readonly orderBy: Order;
  readonly size: number;
  /** The last place of the page before; null for the first page. */
  readonly after: Place | null;
}

/** Rows with the same keys. */
export interface CountedGroup {
  readonly key: readonly string[];
  readonly label: readonly (string | null)[];
  readonly count: number;
}

/** Counts of rows. */
export interface Counted {
  readonly total: number;
  /** The largest groups; among equals in the order of their keys, without one first. */
  readonly groups: readonly CountedGroup[];
  readonly groupCount: number;
  /** Sum of the counts of all other groups. */
  readonly others: number;
}

/** What to count by: one dimension or two. */
export interface CountsWanted {
  readonly by: readonly DimensionName[];
  readonly top: number;
}

/** Answers that are kept: those of questions with no filter but that for what has expired. */
const MAX_KEPT = 200;

/** A loaded export. */
export class LoadedExport {
  readonly #db: Sqlite;
  /** When it was loaded, in milliseconds since 1970. */
  readonly #loadedMs: number;
  readonly #itemsOf = new Map<DimensionName, string[]>();
  readonly #kept = new Map<string, { readonly answer: unknown; readonly from: number; readonly until: number }>();

  constructor(db: Sqlite) {
    this.#db = db;
    this.#loadedMs = Number(db.value("select value from about where key = 'nowMs'"));
  }

  close(): void {
    this.#db.close();
  }

  /** Finds a page. */
  page(question: Question, wanted: PageWanted): FoundPage {
    const asked = this.#asked(question);
    const places = asked.isNothing ? [] : this.#places(asked, wanted);
    const found = places.slice(0, wanted.size).map(([n, key, row, bytes, post]) => ({
      ...{ n: Number(n), key: Number(key), row: Number(row), bytes: Number(bytes), post: post ?? null },
      km: question.near === null ? null : kmOf(this.#squaredChord(Number(n), asked)),
    }));
    const others = question.grouped === null ? new Map<Value, RowAt[]>() : this.#others(asked, found);
    return {
      rows: found.map(({ n: _, post, ...row }) => {
        const same = post === null ? [] : (others.get(post) ?? []);
        return { ...row, others: same, signals: same.length === 0 ? 0 : this.#signals(post) };
      }),
      hasMore: places.length > wanted.size,
    };
  }

  /**
   * The question as SQL. Cells of a wide circle are worth looking at only where many rows match everything else, and no
   * words have to be found each time.
   */
  #asked(question: Question): Asked {
    const { near, words } = question;
    const asked = new Asked(question, this.#loadedMs, false);
    if (near === null || asked.isNothing) return asked;
    const isInCells = near.radiusKm < WIDE_KM || (words.length === 0 && this.#upTo(CELLS_FROM, asked) === CELLS_FROM);
    return isInCells ? new Asked(question, this.#loadedMs, true) : asked;
  }

  /** How many rows match the expression, or `most` if there are more. */
  #upTo(most: number, { match }: Asked): number {
    return Number(this.#db.value(UP_TO, { match, most }));
  }

  /** How many rows match. */
  total(question: Question): number {
    return this.#keep(question, 'total', () => this.#total(this.#asked(question)));
  }

  #total(asked: Asked): number {
    if (asked.isNothing) return 0;
    if (!asked.isGrouped) return this.#matching(asked, 'all');
    const posts = this.#db.value(
      `select count(distinct o.post) from ${asked.scanned('o', 'grouped')} and ${asked.conditions('o')}`,
      asked.values,
    );
    return this.#matching(asked, 'alone') + Number(posts);
  }

  #matching(asked: Asked, part: Part): number {
    let sql = `select count(*) from words w where w.words match :${PARAMETERS[part]} and ${asked.notExpired}`;
    if (asked.needsRows) sql = `select count(*) from ${asked.scanned('o', part)} and ${asked.conditions('o')}`;
    if (asked.isWide && asked.question.near !== null && part === 'all')
      sql = `select count(*) from ${asked.placed('o')}`;
    return Number(this.#db.value(sql, asked.values));
  }

  /** Counts the rows that match. A row with several keys counts in each of their groups. */
  count(question: Question, { by, top }: CountsWanted): Counted {
    return this.#keep(question, JSON.stringify([by, top]), () => {
      const asked = this.#asked(question);
      const counts = asked.isNothing ? new Map<number, number>() : this.#tally(asked, by);
      // So far each row has one code.
      const total = sum(counts.values());
      const groups = by.reduce((some, name, place) => this.#itemized(some, name, place === by.length - 1), counts);
      const largest = largestOf(groups, top);
      const others = largest.reduce((left, [, count]) => left - count, sum(groups.values()));
      return { total, groups: largest.map((group) => this.#named(group, by)), groupCount: groups.size, others };
    });
  }

  /** The occupation that each of some words of titles goes with almost only; null for any other word. */
  romesOf(words: readonly string[]): (string | null)[] {
    return words.map((word) => this.#db.value('select rome from title_word where word = ?', [word]) as string | null);
  }

  /** The labels of a dimension. */
  labels(name: DimensionName): string[] {
    return this.#db.all('select key from dimension where name = ? order by code', [name]).map(([key]) => String(key));
  }

  /** The rows of each SIRET, in the order of the export. */
  rowsOf(sirets: readonly string[]): RowAt[][] {
    return sirets.map((siret) =>
      this.#db
        .all('select r, bytes from body where siret = ? order by r', [Number(siret)])
        .map(([row, bytes]) => ({ row: Number(row), bytes: Number(bytes) })),
    );
  }

  /** The texts of rows, null for those that cannot be read. */
  texts(rows: readonly number[]): (string | null)[] {
    return rows.map((row) => this.#db.value('select json from body where r = ?', [row]) as string | null);
  }

  #keep<T>(question: Question, what: string, answer: () => T): T {
    const { terms, without, words, near, times, validAt } = question;
    const isWhole = terms.length + without.length + words.length + times.length === 0 && near === null;
    if (!isWhole) return answer();
    const key = JSON.stringify([what, { ...question, validAt: validAt !== null }]);
    const known = this.#kept.get(key);
    const at = validAt ?? 0;
    if (known !== undefined && at >= known.from && at < known.until) return known.answer as T;
    const next = this.#db.value('select min(expires) from offer where expires > ?', [at]);
    const until = validAt === null || next === null ? Number.POSITIVE_INFINITY : Number(next);
    const made = answer();
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { answer: made, from: at, until });
    return made;
  }

  /** Rows of a page, and one more if there is one: number, key, place in the export, bytes, post. */
  #places(asked: Asked, { orderBy, size, after }: PageWanted): Value[][] {
    const limit = size + 1;
    if (orderBy === 'DISTANCE') return this.#nearest(asked, { size: limit, after });
    const values = { ...asked.values, limit, after: after?.key ?? 0 };
    if (orderBy === 'CREATION') {
      return this.#db.all(
        `select o.n, o.n, ${OF_BODY} from words w cross join offer o on o.n = w.rowid join body b on b.r = o.r
         where w.words match :match and w.rowid > :after and ${asked.conditions('o')} and ${asked.isFirst('n')}
         order by w.rowid limit :limit`,
        values,
      );
    }
    const { column, index } = ORDERS[orderBy];
    const order = this.#isWalked(asked)
      ? `select o.n, o.${column} key, o.r, o.post from offer o indexed by ${index}
         where o.${column} > :after and ${asked.isPlain ? 'o.open = 1' : asked.isAmong('o')}
         and ${asked.conditions('o')} and ${asked.isFirst(column)} order by o.${column} limit :limit`
      : `${asked.ranked(`o.${column}`, 'o.r')} where key > :after and place = 1 order by key limit :limit`;
    return this.#db.all(
      `select f.n, f.key, f.r, b.bytes, f.post from (${order}) f join body b on b.r = f.r order by f.key`,
      values,
    );
  }

  /** Whether an index is walked: to find rows with words takes longer than to sort them, and would be done twice. */
  #isWalked(asked: Asked): boolean {
    const { near, words } = asked.question;
    if (words.length > 0) return !asked.isGrouped;
    return (asked.isPlain && near === null) || this.#upTo(MANY, asked) === MANY;
  }

  /** The nearest rows: looks within growing circles until there are enough. */
  #nearest(asked: Asked, { size, after }: { readonly size: number; readonly after: Place | null }): Value[][] {
    const radius = asked.question.near?.radiusKm ?? 0;
    const isDense = asked.isInCells && this.#upTo(DENSE, asked) === DENSE;
    for (let km = isDense ? FIRST_CIRCLE_KM : radius; ; km *= 2) {
      const isLast = km >= radius;
      if (!isLast && after !== null && squaredChordOf(km) <= after.key) continue;
      const circle = isLast ? asked : asked.within(km);
      const found = this.#db.all(
        `select f.n, f.key, f.r, b.bytes, f.post from (
           ${circle.ranked(circle.distance('o'), 'o.r')}
           where place = 1 and (key > :after or (key = :after and r > :row)) order by key, r limit :limit
         ) f join body b on b.r = f.r order by f.key, f.r`,
        { ...circle.values, limit: size, after: after?.key ?? -1, row: after?.row ?? -1 },
      );
      if (isLast || found.length === size) return found;
    }
  }

  #squaredChord(n: number, asked: Asked): number {
    return Number(this.#db.value(`select ${asked.distance('o')} from offer o where o.n = :n`, { ...asked.values, n }));
  }

  /** For posts of a page, the rows that match beside the one of the page. */
  #others(asked: Asked, found: readonly { readonly n: number; readonly post: Value }[]): Map<Value, RowAt[]> {
    const others = new Map<Value, RowAt[]>();
    const isListed = new Set(found.map(({ n }) => n));
    const posts = JSON.stringify(found.flatMap(({ post }) => post ?? []));
    if (posts === '[]') return others;
    // For each row alone, all words with a beginning would be found again.
    const rows =
      asked.question.words.length > 0
        ? `${asked.rows('o', 'grouped')} and o.post in (select value from json_each(:posts))`
        : `json_each(:posts) j cross join offer o on o.post = j.value where ${asked.matches('o')}`;
    const same = this.#db.all(
      `select m.n, m.post, m.r, b.bytes from (select o.n, o.post, o.r from ${rows} and ${asked.conditions('o')}) m
       join body b on b.r = m.r order by m.r`,
      { ...asked.values, posts },
    );
    for (const [n, post = null, row, bytes] of same) {
      if (isListed.has(Number(n))) continue;
      others.set(post, [...(others.get(post) ?? []), { row: Number(row), bytes: Number(bytes) }]);
    }
    return others;
  }

  #signals(post: Value): number {
    return Number(this.#db.value('select signals from post where post = ?', [post]));
  }

  /** Counts by codes; those of two dimensions are one number. The rows come as one text, because each call costs as much as a row. */
  #tally(asked: Asked, by: readonly DimensionName[]): Map<number, number> {
    const [first, second] = by;
    const code = second === undefined ? `o.${first}` : `o.${first} * ${PAIR} + o.${second}`;
    const counts = new Map<number, number>();
    const add = (sql: string) => {
      const text = this.#db.value(sql, asked.values);
      if (text !== null) addNumbers(String(text), counts);
    };
    const { grouped } = asked.question;
    add(
      `select group_concat(${code}, ' ') from ${asked.scanned('o', grouped === null ? 'all' : 'alone')} and ${asked.conditions('o')}`,
    );
    if (grouped === null) return counts;
    const key = grouped === 'DISTANCE' ? asked.distance('o') : `o.${ORDERS[grouped].column}`;
    const firsts = `select ${code} code, row_number() over (partition by o.post order by ${key}, o.r) place
      from ${asked.scanned('o', 'grouped')} and ${asked.conditions('o')}`;
    add(`select group_concat(code, ' ') from (${firsts}) where place = 1`);
    return counts;
  }

  /** Counts by the items of lists rather than by lists, in one of the dimensions. */
  #itemized(counts: Map<number, number>, name: DimensionName, isLast: boolean): Map<number, number> {
    if (!LISTED.includes(name)) return counts;
    const items = this.#items(name);
    const codes = new Map(items.map((item, place) => [item, place + 1]));
    const itemsOf = this.#lists(name).map((list) => list.map((item) => codes.get(item) ?? 0));
    const itemized = new Map<number, number>();
    for (const [pair, count] of counts) {
      const [high, low] = [Math.floor(pair / PAIR), pair % PAIR];
      for (const item of itemsOf[(isLast ? low : high) - 1] ?? [0]) {
        const key = isLast ? high * PAIR + item : item * PAIR + low;
        itemized.set(key, (itemized.get(key) ?? 0) + count);
      }
    }
    return itemized;
  }

  /** The lists of a dimension that has some, by their codes. */
  #lists(name: DimensionName): string[][] {
    return this.labels(name).map((key) => key.split(' '));
  }

  /** Their items, by the codes that they have in counts. */
  #items(name: DimensionName): string[] {
    const items = this.#itemsOf.get(name) ?? [...new Set(this.#lists(name).flat())].sort();
    this.#itemsOf.set(name, items);
    return items;
  }

  #named([codes, count]: readonly [number, number], by: readonly DimensionName[]): CountedGroup {
    const places = by.length === 1 ? [codes] : [Math.floor(codes / PAIR), codes % PAIR];
    const named = by.map((name, place) => {
      const code = places[place] ?? 0;
      if (LISTED.includes(name)) return [this.#items(name)[code - 1] ?? UNKNOWN, null];
      return (
        this.#db.all('select key, label from dimension where name = ? and code = ?', [name, code])[0] ?? [UNKNOWN, null]
      );
    });
    return { key: named.map(([key]) => String(key)), label: named.map(([, label]) => label as string | null), count };
  }
}

/** The key of rows without a value. */
const UNKNOWN = 'UNKNOWN';
/** Codes of a dimension are below this. */
const PAIR = 2 ** 22;
const FIRST_CIRCLE_KM = 1.25;
/**
 * Fewer rows that match are all sorted; of more, an index of the order is walked until the page is full. What matches may
 * come last in it, so that it takes as long for a few.
 */
const MANY = 60_000;
const UP_TO = 'select count(*) from (select 1 from words where words match :match limit :most)';
/** Of fewer rows the distance of each is measured. */
const CELLS_FROM = 20_000;
/** In a circle with so many rows, the nearest are looked for in smaller ones. */
const DENSE = 2_000;
/** Around less than this, few of all rows lie. */
const WIDE_KM = 100;
const OF_BODY = 'o.r, b.bytes, o.post';

const ORDERS = {
  CREATION: { column: 'n', index: '' },
  START: { column: 'by_start', index: 'offer_starts' },
  TITLE: { column: 'by_title', index: 'offer_title' },
  WORKPLACE: { column: 'by_workplace', index: 'offer_workplace' },
} as const;

/** All rows that match, those in no group of a post, or those in one. */
type Part = 'all' | 'alone' | 'grouped';
const PARAMETERS = { all: 'match', alone: 'alone', grouped: 'grouped' } as const;

/** A question as SQL. All that was sent is a value of a parameter. */
class Asked {
  readonly question: Question;
  /** The expression over terms and words. */
  readonly match: string;
  readonly values: Readonly<Record<string, Value>>;
  readonly #loadedMs: number;
  readonly #isOpen: boolean;
  /** Whether the expression has cells, so that it is worth less time for a smaller circle. */
  readonly isInCells: boolean;

  constructor(question: Question, loadedMs: number, inCells: boolean) {
    const { near, validAt } = question;
    this.question = question;
    this.#loadedMs = loadedMs;
    this.isInCells = inCells;
    const isUsual = question.kind === 'OFFER' && question.statuses?.join() === 'ACTIVE';
    this.#isOpen = isUsual && validAt !== null && validAt >= loadedMs;
    this.match = matchOf(question, this.#isOpen, inCells);
    const { x, y, z } = pointOnSphere(near?.position ?? { lon: 0, lat: 0 });
    const times = question.times.flatMap(({ of, after, before }) => [
      [`${of}After`, Number.isFinite(after) ? after : null] as const,
      [`${of}Before`, Number.isFinite(before) ? before : null] as const,
    ]);
    this.values = {
      match: this.match,
      alone: `(${this.match}) NOT "${GROUPED_TERM}"`,
      grouped: `(${this.match}) AND "${GROUPED_TERM}"`,
      validAt,
      loadedMs,
      ...{ x, y, z, farthest: squaredChordOf(near?.radiusKm ?? 0) },
      // No coordinate differs by more than the chord; rounding must not leave out what lies on the circle.
      south: z - Math.sqrt(squaredChordOf(near?.radiusKm ?? 0)) - 1e-12,
      north: z + Math.sqrt(squaredChordOf(near?.radiusKm ?? 0)) + 1e-12,
      ...Object.fromEntries(times),
    };
  }

  /** Whether nothing can match. */
  get isNothing(): boolean {
    return this.question.terms.some((some) => some.length === 0);
  }

  get isGrouped(): boolean {
    return this.question.grouped !== null;
  }

  /** The same around the same point, but nearer. */
  within(km: number): Asked {
    const { near } = this.question;
    return near === null
      ? this
      : new Asked({ ...this.question, near: { ...near, radiusKm: km } }, this.#loadedMs, true);
  }

  /** Whether only open offers are asked for, by nothing but their place. */
  get isPlain(): boolean {
    const { terms, without, words, times } = this.question;
    return this.#isOpen && terms.length + without.length + words.length + times.length === 0;
  }

  /** Whether the question is plain, and many of all rows match it. */
  get isWide(): boolean {
    const { near } = this.question;
    return this.isPlain && (near === null || near.radiusKm >= WIDE_KM);
  }

  /** The rows of `offer` that match the expression, to which conditions can be added. */
  rows(row: string, part: Part = 'all'): string {
    return `words w cross join offer ${row} on ${row}.n = w.rowid where w.words match :${PARAMETERS[part]}`;
  }

  /** The same for who needs all of them. To read the table is faster than to look up most of its rows. */
  scanned(row: string, part: Part): string {
    if (!this.isWide) return this.rows(row, part);
    if (part === 'grouped')
      return `offer ${row} indexed by offer_post where ${row}.post is not null and ${row}.open = 1`;
    return `offer ${row} not indexed where ${row}.open = 1 ${part === 'alone' ? `and ${row}.post is null` : ''}`;
  }

  /** All rows of a plain question, from an index of places. */
  placed(row: string): string {
    return `offer ${row} indexed by offer_place where ${row}.open = 1 and ${row}.z is not null
      and ${row}.z between :south and :north and ${this.conditions(row)}`;
  }

  /** Whether a row matches the expression; for a few rows. */
  matches(row: string): string {
    if (this.isPlain) return `${row}.open = 1`;
    // For each row, all words with a beginning would be found again.
    if (this.question.words.length > 0) return this.isAmong(row);
    return `exists (select 1 from words v where v.words match :match and v.rowid = ${row}.n)`;
  }

  /** The same for many rows: all that match are found once. */
  isAmong(row: string): string {
    return `${row}.n in (select v.rowid from words v where v.words match :match)`;
  }

  /** Whether the expression is not enough. */
  get needsRows(): boolean {
    const { near, times, validAt } = this.question;
    return near !== null || times.length > 0 || (validAt !== null && !this.#isOpen);
  }

  /** Of rows by their number, where the rows themselves are not needed: that they have not expired since they were loaded. */
  get notExpired(): string {
    return this.#isOpen
      ? 'w.rowid not in (select n from offer where expires > :loadedMs and expires <= :validAt)'
      : 'true';
  }

  /** Conditions on a row of `offer`. */
  conditions(row: string): string {
    const { near, times, validAt } = this.question;
    const conditions = times.flatMap(({ of, after, before }) => [
      ...(Number.isFinite(after) ? [`${row}.${of} > :${of}After`] : []),
      ...(Number.isFinite(before) ? [`${row}.${of} < :${of}Before`] : []),
    ]);
    if (validAt !== null) conditions.push(`(${row}.expires is null or ${row}.expires > :validAt)`);
    if (near !== null) conditions.push(`${this.distance(row)} <= :farthest`);
    return conditions.join(' and ') || 'true';
  }

  /** The squared chord to the point of the question, which sorts as the distance does. */
  distance(row: string): string {
    const squared = (['x', 'y', 'z'] as const).map(
      (name) => `(${row}.${name} - :${name}) * (${row}.${name} - :${name})`,
    );
    return `(${squared.join(' + ')})`;
  }

  /** That no row of the same post which matches comes first by a column. */
  isFirst(column: string): string {
    if (!this.isGrouped) return 'true';
    return `(o.post is null or not exists (select 1 from offer p where p.post = o.post and p.${column} < o.${column}
      and ${this.conditions('p')} and ${this.matches('p')}))`;
  }

  /** All rows that match with their keys; `place` is 1 for the first of each post, or for all. */
  ranked(key: string, tie: string): string {
    const ranked = (part: Part, place: string) => `select o.n, ${key} key, o.r, o.post, ${place} place
      from ${this.rows('o', part)} and ${this.conditions('o')}`;
    if (!this.isGrouped) return `select * from (${ranked('all', '1')})`;
    const inPost = `row_number() over (partition by o.post order by ${key}, ${tie})`;
    return `select * from (${ranked('alone', '1')} union all ${ranked('grouped', inPost)})`;
  }
}

/** The expression for a question. */
function matchOf({ kind, statuses, near, terms, without, words }: Question, isOpen: boolean, inCells: boolean): string {
  const parts: string[] = [];
  if (isOpen) parts.push(quoted(OPEN_TERM));
  else {
    parts.push(quoted(termOf('kind', kind)));
    if (statuses !== null) parts.push(anyOf(statuses.map((status) => quoted(termOf('status', status)))));
  }
  for (const some of terms) parts.push(anyOf(some.map((term) => quoted(term))));
  const cells = near === null || !inCells ? null : cellsAround(near.position, near.radiusKm);
  if (cells !== null) parts.push(anyOf(cells.map((cell) => quoted(cell))));
  for (const [place, forms] of words.entries()) {
    const isLast = place === words.length - 1;
    parts.push(anyOf(forms.map((form) => quoted(form.slice(0, MAX_WORD), isLast && /[^+#]$/.test(form)))));
  }
  const match = parts.join(' AND ');
  return without.length === 0 ? match : `(${match}) NOT ${anyOf(without.map((term) => quoted(term)))}`;
}

function anyOf(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' OR ')})`;
}

/** A word or term of the expression; no quotation mark is in one. */
function quoted(text: string, isBeginning = false): string {
  return `"${text.replaceAll('"', '')}"${isBeginning ? ' *' : ''}`;
}

/** Counts the numbers of a text that have a space between them. */
function addNumbers(text: string, counts: Map<number, number>): void {
  let number = 0;
  for (let at = 0; at <= text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0) {
      number = 10 * number + digit;
      continue;
    }
    counts.set(number, (counts.get(number) ?? 0) + 1);
    number = 0;
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** The largest counts, those of equal size in the order of their codes. */
function largestOf(counts: ReadonlyMap<number, number>, top: number): (readonly [number, number])[] {
  const sizes = Float64Array.from(counts.values()).sort();
  const least = sizes[Math.max(0, sizes.length - top)] ?? 0;
  return [...counts]
    .filter(([, count]) => count >= least)
    .sort(([one, count], [other, more]) => more - count || one - other)
    .slice(0, top);
}
