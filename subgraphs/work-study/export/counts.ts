/**
 * Counts of the rows that match a question, by one dimension or two.
 *
 * There is a place for each group, or for each pair of groups, where that is not too much memory. Else, as for SIRETs and
 * trades, the rows are kept, sorted by the dimension with more groups, and those of each of its groups counted by the
 * other: a hash table of half a million pairs takes three times as long, because each row meets memory far from the last.
 *
 * What loops over rows or groups is a method of a class, for the reason given at the filters of a selection.
 */
import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';
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
}

/** Counts the rows that match by one or two dimensions. A row with several keys counts in each of their groups. */
export async function countRows(stock: Stock, question: Question, { by, top }: CountsWanted): Promise<Counted> {
  const [first, second = null] = by.map((name) => stock.dimensions[name]);
  if (first === undefined) throw new Error('Nothing to count by.');
  const largest = new LargestGroups(top, [first, second]);
  const count = async (tally: RowTally | PairTally) => {
    let total = 0;
    const use: Use = ({ rows }, matching) => {
      total += matching;
      tally.addAll(rows, matching);
    };
    await scan(stock, question, { orderBy: question.grouped, use }, () => {});
    await tally.offerTo(largest);
    return { total, ...largest.found() };
  };
  if (second === null) return count(new RowTally(first, null));
  const places = countOfKeys(first) * countOfKeys(second);
  const pairs = first.groupCount * second.groupCount;
  if (Math.max(places, pairs) <= MAX_PLACES) return count(new RowTally(first, second));
  return stock.rowLists.lend((rows) => count(new PairTally(first, second, rows)));
}

/** Most places in which counts are kept directly: 4 MB. */
const MAX_PLACES = 1024 * 1024;

type Dimensions = readonly [first: Dimension, second: Dimension | null];

/** The largest of the groups that are offered. A pair is the number `first * groups of second + second`. */
class LargestGroups {
  readonly #dimensions: Dimensions;
  readonly #best: Best;
  #groupCount = 0;
  #rows = 0;

  constructor(top: number, dimensions: Dimensions) {
    this.#dimensions = dimensions;
    this.#best = new Best(top, null);
  }

  offer(number: number, count: number): void {
    this.#groupCount++;
    this.#rows += count;
    this.#best.offer(-count, number);
  }

  found(): Omit<Counted, 'total'> {
    const groups = this.#best.sorted().map(({ key, row }) => this.#groupOf(row, -key));
    const others = groups.reduce((left, { count }) => left - count, this.#rows);
    return { groups, groupCount: this.#groupCount, others };
  }

  #groupOf(number: number, count: number): CountedGroup {
    const [first, second] = this.#dimensions;
    if (second === null) {
      const key = first.keyOf(number);
      return { key: [key], label: [first.labelOf(key)], count };
    }
    const [one, other] = [
      first.keyOf(Math.floor(number / second.groupCount)),
      second.keyOf(number % second.groupCount),
    ];
    return { key: [one, other], label: [first.labelOf(one), second.labelOf(other)], count };
  }
}

/** Counts with a place for each group. Where codes have several groups, rows are counted by code until the end. */
class RowTally {
  readonly #first: Dimension;
  readonly #second: Dimension | null;
  readonly #codeWidth: number;
  readonly #byCode: Uint32Array;

  constructor(first: Dimension, second: Dimension | null) {
    this.#first = first;
    this.#second = second;
    this.#codeWidth = second === null ? 1 : countOfKeys(second);
    this.#byCode = new Uint32Array(countOfKeys(first) * this.#codeWidth);
  }

  addAll(rows: Uint32Array, count: number): void {
    for (let place = 0; place < count; place++) this.#add(rows[place] ?? 0);
  }

  #add(row: number): void {
    const second = this.#second === null ? 0 : keyIn(this.#second, row);
    const place = keyIn(this.#first, row) * this.#codeWidth + second;
    this.#byCode[place] = (this.#byCode[place] ?? 0) + 1;
  }

  /** Offers each group once. */
  async offerTo(largest: LargestGroups): Promise<void> {
    const counts = this.#counts();
    for (let from = 0; from < counts.length; from += STEP) {
      this.#offer(largest, counts, from);
      if (isTurnSpent()) await freshTurn();
    }
  }

  #offer(largest: LargestGroups, counts: Uint32Array, from: number): void {
    const to = Math.min(counts.length, from + STEP);
    for (let number = from; number < to; number++) {
      const count = counts[number] ?? 0;
      if (count > 0) largest.offer(number, count);
    }
  }

  #counts(): Uint32Array {
    const [first, second] = [this.#first, this.#second];
    if (first.groupsOf === null && (second === null || second.groupsOf === null)) return this.#byCode;
    const width = second?.groupCount ?? 1;
    const counts = new Uint32Array(first.groupCount * width);
    for (let place = 0; place < this.#byCode.length; place++) {
      const count = this.#byCode[place] ?? 0;
      if (count === 0) continue;
      const others = second === null ? NO_GROUP : groupsIn(second, place % this.#codeWidth);
      for (const group of groupsIn(first, Math.floor(place / this.#codeWidth))) {
        for (const other of others) counts[group * width + other] = (counts[group * width + other] ?? 0) + count;
      }
    }
    return counts;
  }
}

/** Counts of pairs of which there may be too many for a place each. */
class PairTally {
  readonly #outer: Dimension;
  readonly #inner: Dimension;
  /** By how much the number of a pair grows with the group of each dimension. */
  readonly #outerStep: number;
  readonly #innerStep: number;
  readonly #rows: Uint32Array;
  #count = 0;
  /** Counts of the groups of `inner` beside one group of `outer`, and those of them that are not 0. */
  readonly #counts: Uint32Array;
  readonly #met: Uint32Array;
  #metCount = 0;

  /** With space for all rows. */
  constructor(first: Dimension, second: Dimension, rows: Uint32Array) {
    const isFirst = first.groupCount >= second.groupCount;
    [this.#outer, this.#inner] = isFirst ? [first, second] : [second, first];
    [this.#outerStep, this.#innerStep] = isFirst ? [second.groupCount, 1] : [1, second.groupCount];
    this.#rows = rows;
    this.#counts = new Uint32Array(this.#inner.groupCount);
    this.#met = new Uint32Array(this.#inner.groupCount);
  }

  addAll(rows: Uint32Array, count: number): void {
    this.#rows.set(rows.subarray(0, count), this.#count);
    this.#count += count;
  }

  /** Offers each pair once. */
  async offerTo(largest: LargestGroups): Promise<void> {
    const ends = new Uint32Array(this.#outer.groupCount + 1);
    for (let from = 0; from < this.#count; from += STEP) {
      this.#countOuter(ends, from);
      if (isTurnSpent()) await freshTurn();
    }
    // Each group ends where it begins, until the keys of its rows are written.
    let total = 0;
    for (let group = 0; group < ends.length; group++) {
      const count = ends[group] ?? 0;
      ends[group] = total;
      total += count;
    }
    const sorted = new Uint32Array(total);
    for (let from = 0; from < this.#count; from += STEP) {
      this.#sort(sorted, ends, from);
      if (isTurnSpent()) await freshTurn();
    }
    for (let group = 0, from = 0; group < this.#outer.groupCount; group++) {
      const to = ends[group] ?? 0;
      for (let place = from; place < to; place++) this.#addInner(sorted[place] ?? 0);
      this.#offer(largest, group);
      from = to;
      if (group % 256 === 0 && isTurnSpent()) await freshTurn();
    }
  }

  #countOuter(counts: Uint32Array, from: number): void {
    const to = Math.min(this.#count, from + STEP);
    const isList = this.#outer.groupsOf !== null;
    for (let place = from; place < to; place++) {
      const key = keyIn(this.#outer, this.#rows[place] ?? 0);
      if (isList) for (const group of groupsIn(this.#outer, key)) counts[group] = (counts[group] ?? 0) + 1;
      else counts[key] = (counts[key] ?? 0) + 1;
    }
  }

  #sort(sorted: Uint32Array, ends: Uint32Array, from: number): void {
    const to = Math.min(this.#count, from + STEP);
    const isList = this.#outer.groupsOf !== null;
    for (let place = from; place < to; place++) {
      const row = this.#rows[place] ?? 0;
      const [outer, inner] = [keyIn(this.#outer, row), keyIn(this.#inner, row)];
      if (isList) for (const group of groupsIn(this.#outer, outer)) append(sorted, ends, group, inner);
      else append(sorted, ends, outer, inner);
    }
  }

  #addInner(key: number): void {
    if (this.#inner.groupsOf === null) this.#add(key);
    else for (const group of groupsIn(this.#inner, key)) this.#add(group);
  }

  #add(group: number): void {
    const count = this.#counts[group] ?? 0;
    if (count === 0) this.#met[this.#metCount++] = group;
    this.#counts[group] = count + 1;
  }

  #offer(largest: LargestGroups, outer: number): void {
    for (let at = 0; at < this.#metCount; at++) {
      const group = this.#met[at] ?? 0;
      largest.offer(outer * this.#outerStep + group * this.#innerStep, this.#counts[group] ?? 0);
      this.#counts[group] = 0;
    }
    this.#metCount = 0;
  }
}

/** Writes a key at the end of a group, and moves that. */
function append(sorted: Uint32Array, ends: Uint32Array, group: number, key: number): void {
  const end = ends[group] ?? 0;
  sorted[end] = key;
  ends[group] = end + 1;
}

/** Rows or groups between two looks at the clock: a tenth of a millisecond. */
const STEP = 16 * 1024;

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
