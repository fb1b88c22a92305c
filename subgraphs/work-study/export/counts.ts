/**
 * Counts of the rows that match a question, by one dimension or two. What loops over rows or groups is a method of a
 * class, for the reason given at the filters of a selection.
 */
import { Best } from './best.js';
import { type Question, scan, type Use } from './selection.js';
import type { Dimension, DimensionName, Stock } from './stock.js';

/** Rows with the same keys. */
interface CountedGroup {
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

interface CountsWanted {
  readonly by: readonly DimensionName[];
  readonly top: number;
  /** The request. */
  readonly owner: object;
}

/** Counts the rows that match by one or two dimensions. A row with several keys counts in each of their groups. */
export async function countRows(stock: Stock, question: Question, { by, top, owner }: CountsWanted): Promise<Counted> {
  const [first, second = null] = by.map((name) => stock.dimensions[name]);
  if (first === undefined) throw new Error('Nothing to count by.');
  const tally = new RowTally(first, second);
  let total = 0;
  const use: Use = ({ rows }, count) => {
    total += count;
    tally.addAll(rows, count);
  };
  await scan(stock, question, { orderBy: question.grouped, use, owner });
  return { total, ...tally.largest(top) };
}

/** Counts rows by the groups of one dimension or two. A pair is the number `first * width of second + second`. */
class RowTally {
  readonly #first: Dimension;
  readonly #second: Dimension | null;
  /** How many groups, and how many numbers of `keyIn`, the second dimension has. */
  readonly #width: number;
  readonly #codeWidth: number;
  readonly #hasLists: boolean;
  readonly #byGroup: Tally;
  /** Where codes have several groups: rows by codes, if there is a place for each pair of them. */
  readonly #byCode: Tally | null;

  constructor(first: Dimension, second: Dimension | null) {
    this.#first = first;
    this.#second = second;
    this.#width = second?.groupCount ?? 1;
    this.#codeWidth = second === null ? 1 : countOfKeys(second);
    this.#hasLists = first.groupsOf !== null || (second !== null && second.groupsOf !== null);
    this.#byGroup = new Tally(first.groupCount * this.#width);
    const codes = countOfKeys(first) * this.#codeWidth;
    this.#byCode = this.#hasLists && codes <= MAX_DIRECT ? new Tally(codes) : null;
  }

  addAll(rows: Uint32Array, count: number): void {
    for (let place = 0; place < count; place++) this.#add(rows[place] ?? 0);
  }

  #add(row: number): void {
    const second = this.#second === null ? 0 : keyIn(this.#second, row);
    const code = keyIn(this.#first, row) * this.#codeWidth + second;
    if (!this.#hasLists) this.#byGroup.add(code, 1);
    else if (this.#byCode !== null) this.#byCode.add(code, 1);
    else this.#spread(code, 1);
  }

  /** Adds to all groups of a code. */
  #spread(code: number, count: number): void {
    const others = this.#second === null ? NO_GROUP : groupsIn(this.#second, code % this.#codeWidth);
    for (const group of groupsIn(this.#first, Math.floor(code / this.#codeWidth))) {
      for (const other of others) this.#byGroup.add(group * this.#width + other, count);
    }
  }

  /** The largest groups, once all rows are added. */
  largest(top: number): Omit<Counted, 'total'> {
    const { places } = this.#byCode ?? { places: 0 };
    for (let place = 0; place < places; place++) {
      const count = this.#byCode?.countAt(place) ?? 0;
      if (count > 0) this.#spread(place, count);
    }
    const best = new Best(top, null);
    let [groupCount, others] = [0, 0];
    for (let place = 0; place < this.#byGroup.places; place++) {
      const count = this.#byGroup.countAt(place);
      if (count === 0) continue;
      groupCount++;
      others += count;
      best.offer(-count, this.#byGroup.numberAt(place));
    }
    const groups = best.sorted().map(({ key, row }) => this.#groupOf(row, -key));
    for (const { count } of groups) others -= count;
    return { groups, groupCount, others };
  }

  #groupOf(number: number, count: number): CountedGroup {
    const first = this.#first.keyOf(Math.floor(number / this.#width));
    if (this.#second === null) return { key: [first], label: [this.#first.labelOf(first)], count };
    const second = this.#second.keyOf(number % this.#width);
    return { key: [first, second], label: [this.#first.labelOf(first), this.#second.labelOf(second)], count };
  }
}

/** How many numbers `keyIn` may return. */
function countOfKeys({ groupsOf, codeCount, groupCount }: Dimension): number {
  return groupsOf === null ? groupCount : codeCount;
}

/** The group of a row, or its code where a code has several groups. */
function keyIn({ codes, groupOf }: Dimension, row: number): number {
  const code = codes[row] ?? 0;
  return groupOf === null ? code : (groupOf[code] ?? 0);
}

const NO_GROUP: readonly number[] = [0];

function groupsIn({ groupsOf }: Dimension, key: number): readonly number[] {
  return groupsOf === null ? [key] : (groupsOf[key] ?? NO_GROUP);
}

/** Up to so many numbers have a place each. */
const MAX_DIRECT = 1024 * 1024;

/** Places of a hash table at first; a power of two. */
const FIRST_PLACES = 4096;

/** Counts by number: one place for each, or a hash table where there may be too many. */
class Tally {
  #counts: Uint32Array;
  /** Numbers by place, plus one; null where the place is the number. */
  #numbers: Float64Array | null;
  #used = 0;

  /** For numbers below a limit. */
  constructor(limit: number) {
    const isDirect = limit <= MAX_DIRECT;
    const places = isDirect ? limit : FIRST_PLACES;
    this.#counts = new Uint32Array(places);
    this.#numbers = isDirect ? null : new Float64Array(places);
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

  /** How many places there are, some of which count nothing. */
  get places(): number {
    return this.#counts.length;
  }

  countAt(place: number): number {
    return this.#counts[place] ?? 0;
  }

  numberAt(place: number): number {
    return this.#numbers === null ? place : (this.#numbers[place] ?? 0) - 1;
  }
}
