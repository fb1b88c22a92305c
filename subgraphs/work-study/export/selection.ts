/**
 * Questions to an export: which rows match, sorted and cut into pages, or counted.
 *
 * The rows are scanned in blocks. In each block, every filter keeps of the list of rows those that it accepts, in a loop
 * over one column. What is left is offered to a heap of the page's size, or counted. A page begins after a key and a row
 * rather than at an offset, so the last page costs as much as the first.
 */
import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';
import type { Position } from '../../codes/places.js';
import { pointOnSphere } from './builder.js';
import type { Columns } from './columns.js';
import { acceptedCodes, type Dimension, type DimensionName, type Stock } from './stock.js';
import { rowsWithWords } from './words.js';

/** What is asked: conditions, all of which a row has to meet. */
export interface Question {
  readonly near: { readonly position: Position; readonly radiusKm: number } | null;
  /** Keys of dimensions, of which a row must have an accepted one. */
  readonly keys: readonly { readonly of: DimensionName; readonly accepts: (key: string) => boolean }[];
  /** SIRETs, of which a row must have one; null for any. */
  readonly sirets: readonly string[] | null;
  /** Times strictly between bounds, in milliseconds since 1970. */
  readonly times: readonly { readonly of: 'created' | 'begins'; readonly after: number; readonly before: number }[];
  /** Offers that expire by then are left out; null keeps all. In milliseconds since 1970. */
  readonly validAt: number | null;
  /** Words, all of which a row must have; the last may be the beginning of one. */
  readonly words: readonly string[];
}

/** By what a list is sorted, ascending but for `CREATION`. Equal rows are in the order of the export. */
export type Order = 'DISTANCE' | 'CREATION' | 'START' | 'TITLE' | 'WORKPLACE';

/** A place in a sorted list: what it is sorted by, and the row. */
export interface Place {
  readonly key: number;
  readonly row: number;
}

/** One page of a list. */
export interface FoundPage {
  readonly places: readonly Place[];
  /** How many rows match. */
  readonly total: number;
  /** How many of them come after the page. */
  readonly following: number;
}

/** Rows looked at between two looks at the clock: a tenth of a millisecond. */
const BLOCK = 16 * 1024;

/** Keeps of the first rows of a list those that match; returns how many are left. */
type Filter = (rows: Uint32Array, count: number) => number;

/** Calls `use` with the rows that match, block by block, in turns of the event loop. `owner` is the request. */
async function scan(
  stock: Stock,
  question: Question,
  { owner, use }: { readonly owner: object; readonly use: (rows: Uint32Array, count: number) => void },
): Promise<void> {
  const { columns, words } = stock;
  const filters = filtersOf(stock, question);
  if (question.words.length > 0) {
    if (words === null) throw new Error('There is no index of words.');
    const marks = await rowsWithWords(words, question.words, { rows: columns.rows, owner });
    if (marks === null) return;
    filters.unshift(withMark(marks, question.words.length));
  }
  const rows = new Uint32Array(BLOCK);
  for (let from = 0; from < columns.rows; from += BLOCK) {
    let count = Math.min(BLOCK, columns.rows - from);
    for (let place = 0; place < count; place++) rows[place] = from + place;
    for (const filter of filters) count = filter(rows, count);
    use(rows, count);
    if (isTurnSpent()) await freshTurn(owner);
  }
}

function filtersOf({ columns, dimensions }: Stock, question: Question): Filter[] {
  const { near, keys, sirets, times, validAt } = question;
  const { numbers } = columns;
  const filters = keys.map(({ of, accepts }) => withCode(dimensions[of].codes, acceptedCodes(dimensions[of], accepts)));
  if (sirets !== null) filters.unshift(withCode(columns.codes.siret, acceptedSirets(columns.sirets, sirets)));
  for (const { of, after, before } of times) filters.push(between(numbers[of], after, before));
  if (validAt !== null) filters.push(notBy(numbers.expires, validAt));
  if (near !== null) {
    const farthest = chordOf(near.radiusKm) ** 2;
    const squared = squaredChordTo(columns, near.position);
    filters.push((rows, count) => {
      let kept = 0;
      for (let place = 0; place < count; place++) {
        const row = rows[place] ?? 0;
        if (squared(row) <= farthest) rows[kept++] = row;
      }
      return kept;
    });
  }
  return filters;
}

function withCode(codes: Uint32Array, accepted: Uint8Array): Filter {
  return (rows, count) => {
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      if (accepted[codes[row] ?? 0] === 1) rows[kept++] = row;
    }
    return kept;
  };
}

function withMark(marks: Uint8Array, wanted: number): Filter {
  return (rows, count) => {
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      if (marks[row] === wanted) rows[kept++] = row;
    }
    return kept;
  };
}

function between(numbers: Float64Array, after: number, before: number): Filter {
  return (rows, count) => {
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      const number = numbers[row] ?? Number.NaN;
      if (number > after && number < before) rows[kept++] = row;
    }
    return kept;
  };
}

/** Keeps those without a number, too. */
function notBy(numbers: Float64Array, moment: number): Filter {
  return (rows, count) => {
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      if (!((numbers[row] ?? Number.NaN) <= moment)) rows[kept++] = row;
    }
    return kept;
  };
}

function acceptedSirets(sorted: Float64Array, wanted: readonly string[]): Uint8Array {
  const accepted = new Uint8Array(sorted.length + 1);
  for (const siret of wanted) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? 0) < Number(siret)) low = middle + 1;
      else high = middle;
    }
    if (sorted[low] === Number(siret)) accepted[low + 1] = 1;
  }
  return accepted;
}

/** Radius of the sphere on which distances are measured, as everywhere (volunteering 3.5). */
const EARTH_RADIUS_KM = 6371;

/** The chord of a distance, on a sphere of radius 1. */
function chordOf(km: number): number {
  return 2 * Math.sin(Math.min(km / EARTH_RADIUS_KM, Math.PI) / 2);
}

/** The distance of a squared chord, in kilometres. */
export function kmOf(squaredChord: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(squaredChord) / 2));
}

/** The squared chord from a position to each row's point, which sorts as the distance does; NaN without a point. */
export function squaredChordTo({ numbers: { x, y, z } }: Columns, position: Position): (row: number) => number {
  const point = pointOnSphere(position);
  return (row) => {
    const [dx, dy, dz] = [(x[row] ?? 0) - point.x, (y[row] ?? 0) - point.y, (z[row] ?? 0) - point.z];
    return dx * dx + dy * dy + dz * dz;
  };
}

/** Which page of a list to find. */
interface PageWanted {
  readonly orderBy: Order;
  readonly size: number;
  /** The last place of the page before; null for the first page. */
  readonly after: Place | null;
  /** The request. */
  readonly owner: object;
}

/** Finds a page. */
export async function findPage(stock: Stock, question: Question, wanted: PageWanted): Promise<FoundPage> {
  const { size, after, owner } = wanted;
  const keyOf = sortKey(stock.columns, question, wanted.orderBy);
  const best = new Best(size);
  let [total, following] = [0, 0];
  const use = (rows: Uint32Array, count: number) => {
    total += count;
    if (size === 0 && after === null) following = total;
    else {
      for (let place = 0; place < count; place++) {
        const row = rows[place] ?? 0;
        const key = keyOf(row);
        if (after !== null && (key < after.key || (key === after.key && row <= after.row))) continue;
        following++;
        best.offer(key, row);
      }
    }
  };
  await scan(stock, question, { owner, use });
  const places = best.sorted();
  return { places, total, following: following - places.length };
}

/** What rows are sorted by, ascending; those without it come last. */
function sortKey(columns: Columns, { near }: Question, orderBy: Order): (row: number) => number {
  const { numbers, codes } = columns;
  const last = Number.MAX_VALUE;
  const ofTime = (times: Float64Array, sign: 1 | -1) => (row: number) => {
    const time = times[row] ?? Number.NaN;
    return Number.isNaN(time) ? last : sign * time;
  };
  const ofRank = (ranks: Uint32Array) => (row: number) => ranks[row] || last;
  if (orderBy === 'DISTANCE' && near !== null) return squaredChordTo(columns, near.position);
  if (orderBy === 'START') return ofTime(numbers.begins, 1);
  if (orderBy === 'TITLE') return ofRank(codes.titleRank);
  if (orderBy === 'WORKPLACE') return ofRank(codes.workplaceRank);
  return ofTime(numbers.created, -1);
}

/** The first places of those offered: a heap with the last of them on top. */
class Best {
  readonly #keys: Float64Array;
  /** Doubles, because numbers of pairs of groups need them. */
  readonly #rows: Float64Array;
  #length = 0;

  constructor(size: number) {
    this.#keys = new Float64Array(size);
    this.#rows = new Float64Array(size);
  }

  offer(key: number, row: number): void {
    const size = this.#keys.length;
    if (this.#length < size) this.#rise(this.#length++, key, row);
    else if (size > 0 && isBefore(key, row, this.#keys[0] ?? 0, this.#rows[0] ?? 0)) this.#sink(key, row);
  }

  #rise(from: number, key: number, row: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!isBefore(this.#keys[parent] ?? 0, this.#rows[parent] ?? 0, key, row)) break;
      this.#set(at, this.#keys[parent] ?? 0, this.#rows[parent] ?? 0);
      at = parent;
    }
    this.#set(at, key, row);
  }

  #sink(key: number, row: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#length) break;
      const [k, r] = [this.#keys, this.#rows];
      const isRight = child + 1 < this.#length;
      if (isRight && isBefore(k[child] ?? 0, r[child] ?? 0, k[child + 1] ?? 0, r[child + 1] ?? 0)) child++;
      if (!isBefore(key, row, k[child] ?? 0, r[child] ?? 0)) break;
      this.#set(at, k[child] ?? 0, r[child] ?? 0);
      at = child;
    }
    this.#set(at, key, row);
  }

  #set(at: number, key: number, row: number): void {
    this.#keys[at] = key;
    this.#rows[at] = row;
  }

  sorted(): Place[] {
    const places = Array.from({ length: this.#length }, (_, at) => ({
      key: this.#keys[at] ?? 0,
      row: this.#rows[at] ?? 0,
    }));
    return places.sort((one, other) => (isBefore(one.key, one.row, other.key, other.row) ? -1 : 1));
  }
}

function isBefore(key: number, row: number, otherKey: number, otherRow: number): boolean {
  return key < otherKey || (key === otherKey && row < otherRow);
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

/** Counts the rows that match by one or two dimensions. A row with several keys counts in each of their groups. */
export async function countRows(
  stock: Stock,
  question: Question,
  { by, top, owner }: { readonly by: readonly DimensionName[]; readonly top: number; readonly owner: object },
): Promise<Counted> {
  const [first, second] = by.map((name) => stock.dimensions[name]);
  if (first === undefined) throw new Error('Nothing to count by.');
  const byCode = new Tally(countOfKeys(first) * countOfKeys(second));
  const width = countOfKeys(second);
  let total = 0;
  const use = (rows: Uint32Array, count: number) => {
    total += count;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      byCode.add(keyIn(first, row) * width + (second === undefined ? 0 : keyIn(second, row)), 1);
    }
  };
  await scan(stock, question, { owner, use });
  const byGroup = inGroups(byCode, first, second);
  const groupWidth = second?.groupCount ?? 1;
  const best = new Best(top);
  let [sum, groupCount] = [0, 0];
  byGroup.forEach((group, count) => {
    sum += count;
    groupCount++;
    best.offer(-count, group);
  });
  const groups = best.sorted().map(({ key, row: group }) => {
    const keys = [first.keyOf(Math.floor(group / groupWidth)), ...(second ? [second.keyOf(group % groupWidth)] : [])];
    const label = keys.map((one, place) => (place === 0 ? first : second)?.labelOf(one) ?? null);
    return { key: keys, label, count: -key };
  });
  const listed = groups.reduce((all, { count }) => all + count, 0);
  return { total, groups, groupCount, others: sum - listed };
}

/** How many numbers `keyIn` may return. */
function countOfKeys(dimension: Dimension | undefined): number {
  if (dimension === undefined) return 1;
  return dimension.groupOf === null ? dimension.codeCount : dimension.groupCount;
}

/** The group of a row, or its code where a code has several groups. */
function keyIn({ codes, groupOf }: Dimension, row: number): number {
  const code = codes[row] ?? 0;
  return groupOf === null ? code : (groupOf[code] ?? 0);
}

/** Counts by codes with several groups as counts by group. */
function inGroups(byCode: Tally, first: Dimension, second: Dimension | undefined): Tally {
  const hasLists = [first, second].some((one) => one !== undefined && one.groupsOf !== null && one.groupOf === null);
  if (!hasLists) return byCode;
  const [codeWidth, width] = [countOfKeys(second), second?.groupCount ?? 1];
  const byGroup = new Tally(first.groupCount * width);
  byCode.forEach((code, count) => {
    for (const group of groupsIn(first, Math.floor(code / codeWidth))) {
      for (const other of second === undefined ? NO_GROUP : groupsIn(second, code % codeWidth)) {
        byGroup.add(group * width + other, count);
      }
    }
  });
  return byGroup;
}

const NO_GROUP: readonly number[] = [0];

function groupsIn({ groupsOf, groupOf }: Dimension, code: number): readonly number[] {
  return groupsOf === null || groupOf !== null ? [code] : (groupsOf[code] ?? NO_GROUP);
}

/** Up to so many numbers have a place each. */
const MAX_DIRECT = 1024 * 1024;

/** Counts by number: one place for each, or a hash table where there may be too many. */
class Tally {
  #counts: Uint32Array;
  /** Numbers by place, plus one; null where the place is the number. */
  #numbers: Float64Array | null;
  #used = 0;

  constructor(limit: number) {
    const isDirect = limit <= MAX_DIRECT;
    this.#counts = new Uint32Array(isDirect ? limit : 4096);
    this.#numbers = isDirect ? null : new Float64Array(4096);
  }

  add(number: number, count: number): void {
    const place = this.#numbers === null ? number : this.#placeOf(this.#numbers, number);
    this.#counts[place] = (this.#counts[place] ?? 0) + count;
  }

  #placeOf(numbers: Float64Array, number: number): number {
    const mask = numbers.length - 1;
    const mixed = Math.imul((number / 4_294_967_296) ^ number, 0x9e3779b1);
    let place = (mixed ^ (mixed >>> 15)) & mask;
    while (numbers[place] !== 0 && numbers[place] !== number + 1) place = (place + 1) & mask;
    if (numbers[place] !== 0) return place;
    if (2 * ++this.#used > numbers.length) {
      this.#grow(numbers);
      return this.#placeOf(this.#numbers ?? numbers, number);
    }
    numbers[place] = number + 1;
    return place;
  }

  #grow(numbers: Float64Array): void {
    const counts = this.#counts;
    this.#numbers = new Float64Array(4 * numbers.length);
    this.#counts = new Uint32Array(4 * numbers.length);
    this.#used = 0;
    for (let place = 0; place < numbers.length; place++) {
      if (numbers[place] !== 0) this.add((numbers[place] ?? 0) - 1, counts[place] ?? 0);
    }
  }

  forEach(use: (number: number, count: number) => void): void {
    for (let place = 0; place < this.#counts.length; place++) {
      const count = this.#counts[place] ?? 0;
      if (count > 0) use(this.#numbers === null ? place : (this.#numbers[place] ?? 0) - 1, count);
    }
  }
}
