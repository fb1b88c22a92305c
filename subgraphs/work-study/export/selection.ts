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
import { acceptedCodes, type Candidates, type Dimension, type DimensionName, type Stock } from './stock.js';
import { rowsWithWords } from './words.js';

/** What is asked: conditions, all of which a row has to meet. */
export interface Question {
  readonly kind: string;
  /** The service's words for statuses; null for any. */
  readonly statuses: readonly string[] | null;
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
  /** Offers of one post are one row, the first of those that match in this order; null keeps all. */
  readonly grouped: Order | null;
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
  /** Of a row of a group, the others that match, in the order of the export. */
  othersOf(row: number): readonly number[];
  /** How many rows match. */
  readonly total: number;
  /** How many of them come after the page. */
  readonly following: number;
}

/** Rows looked at between two looks at the clock: a tenth of a millisecond. */
const BLOCK = 16 * 1024;

/** Rows of a block that match so far, in ascending order. */
interface Block {
  readonly rows: Uint32Array;
  /** Squared chord of each row to the point of the question, once it is measured. */
  readonly chords: Float64Array;
}

/** Keeps of the first rows of a block those that match; returns how many are left. */
type Filter = (block: Block, count: number) => number;

/** Uses the rows of a block that match. */
type Use = (block: Block, count: number) => void;

/** Calls `use` with the rows that match, block by block, in turns of the event loop. `owner` is the request. */
async function scan(
  stock: Stock,
  question: Question,
  { owner, use }: { readonly owner: object; readonly use: Use },
): Promise<void> {
  const { columns, words } = stock;
  const filters = filtersOf(stock, question);
  if (question.words.length > 0) {
    if (words === null) throw new Error('There is no index of words.');
    const marks = await rowsWithWords(words, question.words, { rows: columns.rows, owner });
    if (marks === null) return;
    filters.unshift(withMark(marks, question.words.length));
  }
  const candidates = await candidatesFor(stock, question, owner);
  const block = { rows: new Uint32Array(BLOCK), chords: new Float64Array(BLOCK) };
  for (let from = 0; from < candidates.length; from += BLOCK) {
    const some = candidates.subarray(from, from + BLOCK);
    block.rows.set(some);
    let count = some.length;
    for (const filter of filters) count = filter(block, count);
    use(block, count);
    if (isTurnSpent()) await freshTurn(owner);
  }
}

/** Lists of candidates that are kept: for offers that are open now, and three others. */
const MAX_CANDIDATES = 4;

async function candidatesFor(stock: Stock, question: Question, owner: object): Promise<Uint32Array> {
  const { kind, validAt } = question;
  const statuses = question.statuses?.join() ?? null;
  const isSame = (one: Candidates) =>
    one.kind === kind &&
    one.statuses === statuses &&
    (one.valid === null
      ? validAt === null
      : validAt !== null && validAt >= one.valid.from && validAt < one.valid.until);
  const known = stock.candidates.find(isSame);
  if (known !== undefined) return known.rows;
  const made = await findCandidates(stock, question, owner);
  stock.candidates = [{ kind, statuses, ...made }, ...stock.candidates].slice(0, MAX_CANDIDATES);
  return made.rows;
}

async function findCandidates({ columns, dimensions }: Stock, question: Question, owner: object) {
  const { kind, statuses, validAt } = question;
  const { expires } = columns.numbers;
  const ofKind = acceptedCodes(dimensions.kind, (key) => key === kind);
  const ofStatus = acceptedCodes(dimensions.status, (key) => statuses?.includes(key) ?? true);
  const found = new Uint32Array(columns.rows);
  let [count, from, until] = [0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let row = 0; row < columns.rows; row++) {
    if (row % BLOCK === 0 && isTurnSpent()) await freshTurn(owner);
    if (ofKind[dimensions.kind.codes[row] ?? 0] !== 1) continue;
    if (statuses !== null && ofStatus[dimensions.status.codes[row] ?? 0] !== 1) continue;
    const expiry = expires[row] ?? Number.NaN;
    const isExpired = validAt !== null && expiry <= validAt;
    if (isExpired) from = Math.max(from, expiry);
    else if (expiry < until) until = expiry;
    if (!isExpired) found[count++] = row;
  }
  return { valid: validAt === null ? null : { from, until }, rows: found.slice(0, count) };
}

/** The filters of a question: those that are likely to leave fewest rows come first, distance last. */
function filtersOf({ columns, dimensions }: Stock, question: Question): Filter[] {
  const { near, keys, sirets, times } = question;
  const { numbers } = columns;
  const accepted = keys.map(({ of, accepts }) => {
    const codes = acceptedCodes(dimensions[of], accepts);
    return { of, codes, share: codes.reduce((sum, one) => sum + one, 0) / codes.length };
  });
  accepted.sort((one, other) => one.share - other.share);
  const filters = accepted.map(({ of, codes }) => withCode(dimensions[of].codes, codes));
  if (sirets !== null) filters.unshift(withCode(columns.codes.siret, acceptedSirets(columns.sirets, sirets)));
  for (const { of, after, before } of times) filters.push(between(numbers[of], after, before));
  if (near !== null) filters.push(...within(columns, near));
  return filters;
}

// The loops write each row, and count it if it matches: a branch that cannot be foreseen would cost more.

function withCode(codes: Uint32Array, accepted: Uint8Array): Filter {
  return ({ rows }, count) => {
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      rows[kept] = row;
      kept += accepted[codes[row] ?? 0] ?? 0;
    }
    return kept;
  };
}

function withMark(marks: Uint8Array, wanted: number): Filter {
  return ({ rows }, count) => {
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      rows[kept] = row;
      kept += marks[row] === wanted ? 1 : 0;
    }
    return kept;
  };
}

function between(numbers: Float64Array, after: number, before: number): Filter {
  return ({ rows }, count) => {
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      const number = numbers[row] ?? Number.NaN;
      rows[kept] = row;
      kept += number > after && number < before ? 1 : 0;
    }
    return kept;
  };
}

/** Measures the distance of those that are near by one coordinate. */
function within({ numbers: { x, y, z } }: Columns, { position, radiusKm }: NonNullable<Question['near']>): Filter[] {
  const point = pointOnSphere(position);
  const chord = chordOf(radiusKm);
  // Rounding must not leave out what lies on the circle.
  const inBand = between(z, point.z - chord - 1e-12, point.z + chord + 1e-12);
  const farthest = chord ** 2;
  const measured: Filter = ({ rows, chords }, count) => {
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      const dx = (x[row] ?? 0) - point.x;
      const dy = (y[row] ?? 0) - point.y;
      const dz = (z[row] ?? 0) - point.z;
      const squared = dx * dx + dy * dy + dz * dz;
      rows[kept] = row;
      chords[kept] = squared;
      kept += squared <= farthest ? 1 : 0;
    }
    return kept;
  };
  return [inBand, measured];
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
  const keyAt = sortKey(stock.columns, wanted.orderBy);
  const posts = postsOf(stock, question);
  const best = new Best(size);
  let [total, following] = [0, 0];
  const offer = (key: number, row: number) => {
    if (after !== null && (key < after.key || (key === after.key && row <= after.row))) return;
    following++;
    best.offer(key, row);
  };
  const use: Use = (block, matching) => {
    const count = posts?.take(block, matching) ?? matching;
    total += count;
    if (size === 0 && after === null) following += count;
    else for (let place = 0; place < count; place++) offer(keyAt(block, place), block.rows[place] ?? 0);
  };
  await scan(stock, question, { owner, use });
  posts?.forEachFirst((row, key) => {
    total++;
    offer(key, row);
  });
  const places = best.sorted();
  const othersOf = posts?.others(places) ?? (() => []);
  return { places, othersOf, total, following: following - places.length };
}

function postsOf({ columns }: Stock, { grouped }: Question): Posts | null {
  return grouped === null ? null : new Posts(columns, sortKey(columns, grouped));
}

/** Takes rows that are offers of one post out of the blocks of a scan, and knows the first of each post. */
class Posts {
  readonly #groups: Uint32Array;
  readonly #keyAt: (block: Block, place: number) => number;
  /** The first row of each group and its key; one row more for a group that none has matched. */
  readonly #firsts: Uint32Array;
  readonly #keys: Float64Array;
  readonly #none: number;
  readonly #members: number[] = [];

  constructor({ groups, rows }: Columns, keyAt: (block: Block, place: number) => number) {
    this.#groups = groups.of;
    this.#keyAt = keyAt;
    this.#none = rows;
    this.#firsts = new Uint32Array(groups.signals.length).fill(rows);
    this.#keys = new Float64Array(groups.signals.length);
  }

  /** Leaves in the block the rows that are in no group; returns how many. */
  take(block: Block, count: number): number {
    const { rows, chords } = block;
    let kept = 0;
    for (let place = 0; place < count; place++) {
      const row = rows[place] ?? 0;
      const group = this.#groups[row] ?? 0;
      if (group !== 0) this.#add(group, row, this.#keyAt(block, place));
      rows[kept] = row;
      chords[kept] = chords[place] ?? 0;
      kept += group === 0 ? 1 : 0;
    }
    return kept;
  }

  #add(group: number, row: number, key: number): void {
    this.#members.push(row);
    if (this.#firsts[group] !== this.#none && key >= (this.#keys[group] ?? 0)) return;
    this.#firsts[group] = row;
    this.#keys[group] = key;
  }

  forEachFirst(use: (row: number, key: number) => void): void {
    for (const [group, row] of this.#firsts.entries()) if (row !== this.#none) use(row, this.#keys[group] ?? 0);
  }

  /** For rows of some places, the other rows of their posts. */
  others(places: readonly Place[]): (row: number) => readonly number[] {
    const others = new Map(places.map(({ row }) => [this.#groups[row] ?? 0, [] as number[]]));
    for (const row of this.#members) {
      const group = this.#groups[row] ?? 0;
      if (row !== this.#firsts[group]) others.get(group)?.push(row);
    }
    return (row) => others.get(this.#groups[row] ?? 0) ?? [];
  }
}

/** What a row of a block is sorted by, ascending; those without it come last. */
function sortKey({ numbers, codes }: Columns, orderBy: Order): (block: Block, place: number) => number {
  const last = Number.MAX_VALUE;
  const ofTime =
    (times: Float64Array, sign: 1 | -1) =>
    ({ rows }: Block, place: number) => {
      const time = times[rows[place] ?? 0] ?? Number.NaN;
      return Number.isNaN(time) ? last : sign * time;
    };
  const ofRank =
    (ranks: Uint32Array) =>
    ({ rows }: Block, place: number) =>
      ranks[rows[place] ?? 0] || last;
  if (orderBy === 'DISTANCE') return ({ chords }, place) => chords[place] ?? last;
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
      const k = this.#keys;
      const r = this.#rows;
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
  const tally = tallyOf(first, second, stock.columns.rows);
  let total = 0;
  const posts = postsOf(stock, question);
  const use: Use = (block, matching) => {
    const count = posts?.take(block, matching) ?? matching;
    total += count;
    for (let place = 0; place < count; place++) tally.add(block.rows[place] ?? 0);
  };
  await scan(stock, question, { owner, use });
  posts?.forEachFirst((row) => {
    total++;
    tally.add(row);
  });
  const byGroup = tally.groups();
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

/** Counts rows by the groups of one dimension or two. A pair is the number `first * width of second + second`. */
interface RowTally {
  add(row: number): void;
  groups(): Tally;
}

function tallyOf(first: Dimension, second: Dimension | undefined, rows: number): RowTally {
  const width = second?.groupCount ?? 1;
  const byGroup = new Tally(first.groupCount * width, rows);
  const [codeWidth, codeCount] = [countOfKeys(second), countOfKeys(first) * countOfKeys(second)];
  const groupsOf = (code: number) => groupsIn(first, Math.floor(code / codeWidth));
  const othersOf = (code: number) => (second === undefined ? NO_GROUP : groupsIn(second, code % codeWidth));
  const spread = (code: number, count: number) => {
    for (const group of groupsOf(code)) for (const other of othersOf(code)) byGroup.add(group * width + other, count);
  };
  const codeIn = (row: number) => keyIn(first, row) * codeWidth + (second === undefined ? 0 : keyIn(second, row));
  // Without lists, and where there is no place for each pair of codes, groups are counted at once.
  if (!hasLists(first) && !hasLists(second))
    return { add: (row) => byGroup.add(codeIn(row), 1), groups: () => byGroup };
  if (codeCount > MAX_DIRECT) return { add: (row) => spread(codeIn(row), 1), groups: () => byGroup };
  const byCode = new Tally(codeCount, rows);
  return {
    add: (row) => byCode.add(codeIn(row), 1),
    groups() {
      byCode.forEach(spread);
      return byGroup;
    },
  };
}

function hasLists(dimension: Dimension | undefined): boolean {
  return dimension !== undefined && dimension.groupsOf !== null;
}

/** How many numbers `keyIn` may return. */
function countOfKeys(dimension: Dimension | undefined): number {
  if (dimension === undefined) return 1;
  return hasLists(dimension) ? dimension.codeCount : dimension.groupCount;
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

/** Counts by number: one place for each, or a hash table where there may be too many. */
class Tally {
  #counts: Uint32Array;
  /** Numbers by place, plus one; null where the place is the number. */
  #numbers: Float64Array | null;
  #used = 0;

  /** For numbers below a limit, of which about so many rows have one each. */
  constructor(limit: number, rows: number) {
    const isDirect = limit <= MAX_DIRECT;
    const places = isDirect ? limit : 2 ** Math.ceil(Math.log2(2 * rows + 4096));
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

  forEach(use: (number: number, count: number) => void): void {
    for (let place = 0; place < this.#counts.length; place++) {
      const count = this.#counts[place] ?? 0;
      if (count > 0) use(this.#numbers === null ? place : (this.#numbers[place] ?? 0) - 1, count);
    }
  }
}
