/**
 * Questions to a loaded export, as SQL. All that a question needs of a row is one of these:
 *
 * - an expression over the index of terms and words (`words match`), which gives numbers of rows in the order of
 *   publication: nearly every filter is part of it;
 * - conditions on the row in `offer` or `place`, for what is no code: moments, and the exact distance.
 *
 * Pages begin after a key rather than at an offset, so the last costs as much as the first. A list in another order than
 * that of publication is sorted if few rows match; else the index of its order is walked until the page is full.
 */
import { Sqlite, type Value } from '../../../database/sqlite.js';
import type { Position } from '../../codes/places.js';
import { cellsAround, kmOf, pointOnSphere, squaredChordOf } from './sphere.js';
import { APPLICATION, closedTerm, type DimensionName, GROUPED_TERM, LISTED, OPEN_TERM, termOf } from './tables.js';

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

/** By what a list is sorted, in which equal rows are in the order of the export, or the exact reverse of that. */
export interface Order {
  /** Ascending but for `CREATION`, with rows without a value last. */
  readonly by: keyof typeof COLUMN_OF;
  readonly isReversed: boolean;
}

/** A place in a sorted list: what it is sorted by, and the row's place in the export. */
export interface Place {
  readonly key: number;
  readonly row: number;
}

/** What a file says of itself: the service's date of the export, its rows with a SIRET, and how many cannot be read. */
export type About = Readonly<Record<'lastUpdate', string> & Record<'rows' | 'unreadable', number>>;

/** A row of the file: its place in the export, and its bytes. */
export type RowAt = Readonly<Record<'row' | 'bytes', number>>;

/** A row of a page. */
export type FoundRow = ReturnType<LoadedExport['page']>['rows'][number];

/** Which page to find. */
interface PageWanted {
  readonly orderBy: Order;
  readonly size: number;
  /** The last place of the page before; null for the first page. */
  readonly after: Place | null;
}

/** Rows with the same keys, which are null for rows without a value. */
export type CountedGroup = ReturnType<LoadedExport['count']>['groups'][number];

/** What to count by: one dimension or two, and how many groups to list. */
interface CountsWanted {
  readonly by: readonly DimensionName[];
  readonly top: number;
}

/** What reads these texts parses them in a few milliseconds. */
const MESSAGE_BYTES = 256 * 1024;
/** Answers that are kept: those of questions with no filter but that for what has expired. */
const MAX_KEPT = 200;

/** A loaded export. */
export class LoadedExport {
  readonly #db: Sqlite;
  readonly #turning: typeof TURNING;
  /** When it was loaded, in milliseconds since 1970. */
  readonly #loadedMs: number;
  readonly #itemsOf = new Map<DimensionName, string[]>();
  readonly #kept = new Map<string, { readonly answer: unknown; readonly from: number; readonly until: number }>();

  constructor(db: Sqlite, turning = TURNING) {
    this.#db = db;
    this.#turning = turning;
    this.#loadedMs = Number(db.value("select value from about where key = 'nowMs'"));
  }

  static open(path: string): LoadedExport {
    return new LoadedExport(Sqlite.read(path));
  }

  about(): About {
    if (this.#db.value('pragma application_id') !== APPLICATION)
      throw new Error('It is the database of another program.');
    const facts = Object.fromEntries(this.#db.all('select key, value from about'));
    return { lastUpdate: facts.lastUpdate, rows: facts.rows, unreadable: facts.unreadable };
  }

  close(): void {
    this.#db.close();
  }

  /** A page of the rows that match, and whether more follow. */
  page(question: Question, { orderBy, size, after }: PageWanted) {
    const asked = this.#asked(question);
    const places = asked.isNothing ? [] : this.#places(asked, { orderBy, size, after });
    const found = places.slice(0, size);
    const others = question.grouped === null ? [] : this.#others(asked, found);
    const rows = found.map(([_, key, row, bytes, post, chord]) => {
      const same = others.filter((other) => other.post === post);
      return {
        ...{ key: Number(key), row: Number(row), bytes: Number(bytes) },
        /** Kilometres to the point of the question; null without one. */
        km: question.near === null ? null : kmOf(Number(chord)),
        /** The other offers of the post that match, in the order of the export, and the bits of `SIGNALS` that all share. */
        others: same.map(({ at }): RowAt => at),
        signals: same[0]?.signals ?? 0,
      };
    });
    return { rows, hasMore: places.length > size };
  }

  /** How many rows match. */
  total(question: Question): number {
    return this.#keep(question, 'total', () => {
      const asked = this.#asked(question);
      if (asked.isNothing) return 0;
      const total = Number(this.#db.value(`select count(*) from ${asked.all('match')}`, asked.values));
      if (question.grouped === null) return total;
      const repeats = `select count(*) - count(distinct o_at.post) from ${asked.rows('grouped', 'facet')}`;
      return total - Number(this.#db.value(repeats, asked.values));
    });
  }

  /**
   * Counts the rows that match: all, and the largest groups, among equals in the order of their keys, without one first. A
   * row with several keys counts in each of their groups; `others` is the sum of the groups that are not listed.
   */
  count(question: Question, { by, top }: CountsWanted) {
    return this.#keep(question, JSON.stringify([by, top]), () => {
      const asked = this.#asked(question);
      const counts = asked.isNothing ? new Map<number, number>() : this.#tally(asked, by);
      // So far each row has one code.
      const total = sum(counts.values());
      const groups = by.reduce((some, name, place) => this.#itemized(some, name, place === by.length - 1), counts);
      // Of many groups, only those that can be listed are put in order.
      const least = Uint32Array.from(groups.values()).sort().at(-top) ?? 0;
      const largest = [...groups]
        .filter(([, count]) => count >= least)
        .sort(([one, count], [other, more]) => more - count || one - other)
        .slice(0, top);
      const others = sum(groups.values()) - sum(largest.map(([, count]) => count));
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
    const rowsOf = 'select r, bytes from body where siret = ? order by r';
    return sirets.map((siret) =>
      this.#db.all(rowsOf, [Number(siret)]).map(([row, bytes]) => ({ row: Number(row), bytes: Number(bytes) })),
    );
  }

  /** The texts of the first of some rows, as many as a message has, null for those that cannot be read. */
  texts(rows: readonly number[]): (string | null)[] {
    const texts: (string | null)[] = [];
    for (let bytes = 0; texts.length < rows.length && bytes < MESSAGE_BYTES; ) {
      const text = this.#db.value('select json from body where r = ?', [rows[texts.length] ?? null]) as string | null;
      texts.push(text);
      bytes += text?.length ?? 0;
    }
    return texts;
  }

  #keep<T>(question: Question, what: string, answer: () => T): T {
    const { terms, without, words, near, times, validAt } = question;
    if (near !== null || terms.length + without.length + words.length + times.length > 0) return answer();
    const key = JSON.stringify([what, { ...question, validAt: validAt !== null }]);
    const at = validAt ?? 0;
    const known = this.#kept.get(key);
    if (known !== undefined && at >= known.from && at < known.until) return known.answer as T;
    const next = this.#db.value('select min(expires) from offer where expires > ?', [at]);
    const made = answer();
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { answer: made, from: at, until: Number(next ?? Number.POSITIVE_INFINITY) });
    return made;
  }

  #asked(question: Question): Asked {
    const { near, terms, words } = question;
    // Cells of a wide circle leave out less than finding them costs, unless all else is in the rows.
    const inCells = near !== null && (near.radiusKm < WIDE_KM || terms.length + words.length === 0);
    return new Asked(question, this.#loadedMs, inCells);
  }

  /** Whether so many rows match the expression. */
  #has(most: number, { match }: Asked): boolean {
    const upTo = 'select count(*) from (select 1 from words where words match :match limit :most)';
    return this.#db.value(upTo, { match, most }) === most;
  }

  /** Rows of a page, and one more if there are more: number, key, place in the export, bytes, post, squared chord. */
  #places(asked: Asked, { orderBy, size, after }: PageWanted): Value[][] {
    const { near, words, grouped } = asked.question;
    const { by, isReversed } = orderBy;
    const none = isReversed ? Number.MAX_SAFE_INTEGER : -1;
    const behind = { after: after?.key ?? none, row: after?.row ?? none };
    const found = (circle: Asked, isWalked = false): Value[][] => {
      for (let limit = grouped === null ? size + 1 : 2 * size + 20; ; limit *= 8) {
        const rows = this.#db.all(circle.page(orderBy, isWalked), { ...circle.values, ...behind, limit });
        const firsts = grouped === null ? rows : rows.filter((row) => row.at(-1) === 1);
        if (firsts.length > size || rows.length < limit) return firsts;
      }
    };
    if (by !== 'DISTANCE') {
      // To find rows with words takes longer than to sort them, and would be done twice.
      const isWalked = by !== 'CREATION' && words.length === 0 && this.#has(this.#turning.walked, asked);
      return found(asked, isWalked);
    }
    const radius = near?.radiusKm ?? 0;
    const isWhole = words.length > 0 || isReversed || !this.#has(this.#turning.circled, asked);
    // Looks within growing circles until there are enough.
    for (let km = isWhole ? radius : Math.max(FIRST_CIRCLE_KM, 1.3 * kmOf(after?.key ?? 0)); ; ) {
      if (km > LOCAL_KM && km < radius && radius >= WIDE_KM && !this.#has(this.#turning.grown, asked)) km = radius;
      const rows = found(km < radius ? asked.within(km) : asked);
      if (!(km < radius) || rows.length > size) return rows;
      // As if there were as many elsewhere, and a half more.
      km *= Math.min(4, Math.sqrt((1.5 * (size + 1)) / rows.length));
    }
  }

  /** For posts of a page, the rows that match beside the one of the page. */
  #others(asked: Asked, found: readonly Value[][]) {
    const posts = JSON.stringify(found.flatMap(([, , , , post]) => post ?? []));
    const listed = JSON.stringify(found.map(([n]) => n));
    const same = this.#db.all(
      `select o.post, o.r, o.bytes, s.signals from json_each(:posts) j cross join offer o on o.post = j.value
         ${asked.placed('o')} join post s on s.post = o.post
       where ${asked.matches('o')} and o.n not in (select value from json_each(:listed)) order by o.r`,
      { ...asked.values, posts, listed },
    );
    return same.map(([post, row, bytes, signals]) => ({
      ...{ post, signals: Number(signals) },
      at: { row: Number(row), bytes: Number(bytes) },
    }));
  }

  /** Counts by codes; those of two dimensions are one number. The rows come as one text, because each call costs as much as a row. */
  #tally(asked: Asked, by: readonly DimensionName[]): Map<number, number> {
    const [first, second] = by;
    const { grouped } = asked.question;
    const code = second === undefined ? `o_at.${first}` : `o_at.${first} * ${PAIR} + o_at.${second}`;
    const counts = new Map<number, number>();
    const add = (sql: string) => {
      const codes: number[] = JSON.parse(`[${this.#db.value(sql, asked.values) ?? ''}]`);
      for (const one of codes) counts.set(one, (counts.get(one) ?? 0) + 1);
    };
    add(`select group_concat(${code}) from ${asked.all(grouped === null ? 'match' : 'alone', 'facet')}`);
    if (grouped === null) return counts;
    const down = grouped.isReversed ? 'desc' : '';
    const order = `${asked.key(grouped.by, 'o')} ${down}, o.r ${down}`;
    const firsts = `select ${code} code, row_number() over (partition by o.post order by ${order}) place
      from ${asked.rows('grouped', 'offer', 'facet')}`;
    add(`select group_concat(code) from (${firsts}) where place = 1`);
    return counts;
  }

  /** Counts by the items of lists rather than by lists, in one of the dimensions. */
  #itemized(counts: Map<number, number>, name: DimensionName, isLast: boolean): Map<number, number> {
    if (!LISTED.includes(name)) return counts;
    const codes = new Map(this.#items(name).map((item, place) => [item, place + 1]));
    const lists = this.labels(name).map((key) => key.split(' ').map((item) => codes.get(item) ?? 0));
    const itemized = new Map<number, number>();
    for (const [pair, count] of counts) {
      const [high, low] = [Math.floor(pair / PAIR), pair % PAIR];
      for (const item of lists[(isLast ? low : high) - 1] ?? [0]) {
        const key = isLast ? high * PAIR + item : item * PAIR + low;
        itemized.set(key, (itemized.get(key) ?? 0) + count);
      }
    }
    return itemized;
  }

  /** The items of lists, by the codes that they have in counts. */
  #items(name: DimensionName): string[] {
    const items = this.#itemsOf.get(name) ?? [...new Set(this.labels(name).flatMap((key) => key.split(' ')))].sort();
    this.#itemsOf.set(name, items);
    return items;
  }

  #named([codes, count]: readonly [number, number], by: readonly DimensionName[]) {
    const places = by.length === 1 ? [codes] : [Math.floor(codes / PAIR), codes % PAIR];
    const named = by.map((name, place) => {
      const code = places[place] ?? 0;
      if (LISTED.includes(name)) return [this.#items(name)[code - 1] ?? null, null];
      const [found] = this.#db.all('select key, label from dimension where name = ? and code = ?', [name, code]);
      return found ?? [null, null];
    });
    const [key, label] = [0, 1].map((at) => named.map((one) => one[at] as string | null));
    return { key: key ?? [], label: label ?? [], count };
  }
}

/** Codes of a dimension are below this. */
const PAIR = 2 ** 22;
const FIRST_CIRCLE_KM = 0.3;
/** In a wide circle, to find the rows of those larger than this takes as long as to compare thousands of distances. */
const LOCAL_KM = 10;
/** Around less than this, few of all rows lie. */
const WIDE_KM = 100;
/**
 * Rows that match from which on sorting all of them takes longest: an index is walked, or circles grow around a point whose
 * distances would all be compared, small ones and then wide ones.
 */
const TURNING = { walked: 40_000, circled: 2_000, grown: 16_000 };

/** The columns of orders, each with an index of its own. */
const COLUMN_OF = {
  DISTANCE: null,
  CREATION: 'n',
  START: 'by_start',
  TITLE: 'by_title',
  WORKPLACE: 'by_workplace',
} as const;

/** A question as SQL. All that was sent is a value of a parameter. */
class Asked {
  readonly question: Question;
  /** The expression over terms and words. */
  readonly match: string;
  readonly values: Readonly<Record<string, Value>>;
  readonly #loadedMs: number;
  readonly #isOpen: boolean;

  constructor(question: Question, loadedMs: number, inCells: boolean) {
    const { near, times, validAt } = question;
    this.question = question;
    this.#loadedMs = loadedMs;
    const isUsual = question.kind === 'OFFER' && question.statuses?.join() === 'ACTIVE';
    this.#isOpen = isUsual && validAt !== null && validAt >= loadedMs;
    this.match = matchOf(question, this.#isOpen, inCells);
    const point = pointOnSphere(near?.position ?? { lon: 0, lat: 0 });
    const farthest = squaredChordOf(near?.radiusKm ?? 0);
    // No coordinate differs by more than the chord; rounding must not leave out what lies on the circle.
    const most = Math.sqrt(farthest) + 1e-12;
    this.values = {
      match: this.match,
      alone: `(${this.match}) NOT "${GROUPED_TERM}"`,
      grouped: `(${this.match}) AND "${GROUPED_TERM}"`,
      ...{ validAt, loadedMs, farthest, south: point.z - most, north: point.z + most },
      ...point,
      ...Object.fromEntries(
        times.flatMap(({ of, after, before }) => [
          [`${of}After`, after],
          [`${of}Before`, before],
        ]),
      ),
    };
  }

  /** Whether nothing can match. */
  get isNothing(): boolean {
    return this.question.terms.some((some) => some.length === 0);
  }

  /** The same around the same point, but nearer. */
  within(radiusKm: number): Asked {
    const { near } = this.question;
    const question = { ...this.question, near: near && { ...near, radiusKm } };
    return new Asked(question, this.#loadedMs, true);
  }

  /** The rows that match as `rows` has them, in any order; those of posts with one row only with `facet`. */
  all(part: 'match' | 'alone', ...read: readonly 'facet'[]): string {
    const { near } = this.question;
    if (near === null || near.radiusKm < WIDE_KM || !this.#isPlain) return this.rows(part, ...read);
    // Of a third of all rows, each found by its number would take twice as long.
    const scanned = read.length === 0 ? 'place o_at indexed by place_open' : 'facet o_at not indexed';
    const isAlone = part === 'alone' ? 'and o_at.post is null' : '';
    return `${scanned} where o_at.open = 1 ${isAlone} and ${this.#conditions('o', 'o_at.n')}`;
  }

  /**
   * The rows that match, of all posts, of those with one row or of those with several; more conditions can be added.
   * With `offer` as `o` and `facet` as `o_at`, as far as they are read. With `distance`, rows beyond the circle are left to
   * whoever reads it.
   */
  rows(part: 'match' | 'alone' | 'grouped', ...read: readonly ('offer' | 'facet' | 'distance')[]): string {
    const offer = read.includes('offer') || this.#readsOffer ? 'cross join offer o on o.n = w.rowid' : '';
    const placed = read.includes('facet') ? 'cross join facet o_at on o_at.n = w.rowid' : this.placed('o', 'w.rowid');
    const conditions = `w.words match :${part} and ${this.#conditions('o', 'w.rowid', !read.includes('distance'))}`;
    return `words w ${placed} ${offer} where ${conditions}`;
  }

  /** Joins where a row is, if that is asked for. */
  placed(row: string, n = `${row}.n`): string {
    return this.question.near === null ? '' : `cross join place ${row}_at on ${row}_at.n = ${n}`;
  }

  /**
   * A page in an order: rows behind `:after` and `:row`, up to `:limit`, the last column of each whether it is the first of
   * its post. With `isWalked`, in the index of the order.
   */
  page({ by, isReversed }: Order, isWalked: boolean): string {
    const [further, before, down] = isReversed ? ['<', '>', 'desc'] : ['>', '<', ''];
    const isGrouped = this.question.grouped !== null;
    const n = isWalked ? 'o.n' : 'w.rowid';
    const key = by === 'CREATION' ? n : this.key(by, 'o');
    const walked = `offer o indexed by offer_${COLUMN_OF[by]} ${this.placed('o')} where ${this.#isAmong('o')}`;
    const read = by === 'CREATION' ? [] : [by === 'DISTANCE' ? ('distance' as const) : ('offer' as const)];
    const rows = isWalked ? `${walked} and ${this.#conditions('o', n)}` : this.rows('match', ...read);
    // With a limit, SQLite computes the distance of a row once rather than wherever it is read.
    const sorted =
      by === 'DISTANCE'
        ? `select n, key from (select ${n} n, o_at.r r, ${key} key from ${rows} limit -1)
          where key <= :farthest and (key, r) ${further} (:after, :row) order by key ${down}, r ${down}`
        : `select ${n} n, ${key} key from ${rows} and ${key} ${further} :after order by ${key} ${down}`;
    const chord = this.question.near === null ? 'null' : this.key('DISTANCE', 'o');
    const isFirst = `(o.post is null or not exists (select 1 from offer p ${this.placed('p')} where p.post = o.post
      and (${this.key(by, 'p')}, p.r) ${before} (found.key, o.r) and ${this.matches('p')}))`;
    // What is read of a row is read of those of the page alone.
    return `select o.n, found.key, o.r, o.bytes, o.post, ${chord}, ${isGrouped ? isFirst : '1'} from (
        ${sorted} limit :limit
      ) found cross join offer o on o.n = found.n ${this.placed('o')}`;
  }

  /** By what rows are sorted; the squared chord sorts as the distance does. */
  key(by: Order['by'], row: string): string {
    const column = COLUMN_OF[by];
    if (column !== null) return `${row}.${column}`;
    return ['x', 'y', 'z'].map((name) => `(${row}_at.${name} - :${name}) * (${row}_at.${name} - :${name})`).join(' + ');
  }

  /** That a row matches; for a few rows. */
  matches(row: string): string {
    // For each row alone, all words with a beginning would be found again.
    const isEach = !this.#isPlain && this.question.words.length === 0;
    const found = `exists (select 1 from words v where v.words match :match and v.rowid = ${row}.n)`;
    return `${isEach ? found : this.#isAmong(row)} and ${this.#conditions(row, `${row}.n`)}`;
  }

  /** That a row matches the expression; for many rows: all that do are found once. */
  #isAmong(row: string): string {
    return this.#isPlain ? `${row}.open = 1` : `${row}.n in (select v.rowid from words v where v.words match :match)`;
  }

  /** Whether only open offers are asked for, by nothing but their place. */
  get #isPlain(): boolean {
    const { terms, without, words, times } = this.question;
    return this.#isOpen && terms.length + without.length + words.length + times.length === 0;
  }

  /** Whether all rows that match have to be looked up in `offer`. */
  get #readsOffer(): boolean {
    const { times, validAt } = this.question;
    return times.length > 0 || (validAt !== null && !this.#isOpen);
  }

  /** What no term says of a row with the number `n`; without `isNear`, of its distance only what its latitude says. */
  #conditions(row: string, n: string, isNear = true): string {
    const { near, times, validAt } = this.question;
    // Most rows elsewhere lie further north or south, which is seen at once.
    const band = `${row}_at.z between :south and :north`;
    const conditions = near === null ? [] : [band];
    // The cosine of the angle takes half the time, and is exact to 0.1 mm from a kilometre on.
    const cosine = ['x', 'y', 'z'].map((name) => `${row}_at.${name} * :${name}`).join(' + ');
    if (near !== null && isNear)
      conditions.push(
        near.radiusKm < 1 ? `${this.key('DISTANCE', row)} <= :farthest` : `${cosine} >= 1 - :farthest / 2`,
      );
    for (const { of } of times) conditions.push(`${row}.${of} > :${of}After and ${row}.${of} < :${of}Before`);
    const expired = 'select n from offer where expires > :loadedMs and expires <= :validAt';
    if (this.#isOpen) conditions.push(`${n} not in (${expired})`);
    else if (validAt !== null) conditions.push(`(${row}.expires is null or ${row}.expires > :validAt)`);
    return conditions.join(' and ') || 'true';
  }
}

/** The expression for a question. */
function matchOf({ kind, statuses, near, terms, without, words }: Question, isOpen: boolean, inCells: boolean): string {
  // Open offers have terms of their own.
  const anyTerm = (some: readonly string[]) =>
    anyOf(some.flatMap((term) => (isOpen ? quoted(term) : [quoted(term), quoted(closedTerm(term))])));
  const needed = [...terms];
  if (!isOpen) needed.push([termOf('kind', kind)]);
  if (!isOpen && statuses !== null) needed.push(statuses.map((status) => termOf('status', status)));
  const cells = near && inCells && cellsAround(near.position, near.radiusKm);
  if (cells) needed.push(cells);
  if (needed.length === 0) needed.push([OPEN_TERM]);
  const parts = needed.map(anyTerm);
  for (const [place, forms] of words.entries()) {
    const isLast = place === words.length - 1;
    parts.push(anyOf(forms.map((form) => quoted(form, isLast && /[^+#]$/.test(form)))));
  }
  const match = parts.join(' AND ');
  return without.length === 0 ? match : `(${match}) NOT ${anyTerm(without)}`;
}

function anyOf(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' OR ')})`;
}

/** A word or term of the expression; no quotation mark is in one. */
function quoted(text: string, isBeginning = false): string {
  return `"${text.replaceAll('"', '')}"${isBeginning ? ' *' : ''}`;
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
