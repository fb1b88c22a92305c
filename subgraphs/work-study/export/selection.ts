/**
 * Questions to an export: which rows match, sorted and cut into pages, or counted.
 *
 * The rows are scanned in blocks. In each block, every filter keeps of the list of rows those that it accepts, in a loop
 * over one column. What is left is counted, or sorted keys are written beside it and offered to a heap of the page's size. A
 * page begins after a key and a row rather than at an offset, so the last page costs as much as the first.
 */
import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';
import type { Position } from '../../codes/places.js';
import { firstNotBefore } from '../communes/commune-index.js';
import { Best, type KeyedRows, type Place } from './best.js';
import { pointOnSphere } from './builder.js';
import type { Columns } from './columns.js';
import type { Posts } from './posts.js';
import { Spares } from './spares.js';
import { acceptedCodes, type Candidates, type DimensionName, type Stock } from './stock.js';
import { markRows } from './words.js';

/** What is asked: conditions, all of which a row has to meet. */
export interface Question {
  readonly kind: string;
  /** Statuses, in the words of the graph; null for any. */
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
  /** Words, all of which a row must have in one of their forms; the last may be the beginning of one. */
  readonly words: readonly (readonly string[])[];
  /** Offers of one post are one row, the first of those that match in this order; null keeps all. */
  readonly grouped: Order | null;
}

/** By what a list is sorted, ascending but for `CREATION`. Equal rows are in the order of the export. */
export type Order = 'DISTANCE' | 'CREATION' | 'START' | 'TITLE' | 'WORKPLACE';

/** One page of a list. */
export interface FoundPage {
  readonly places: readonly Place[];
  /** Of a row of a group, the others that match, in the order of the export. */
  othersOf(row: number): readonly number[];
  /** How many rows match. */
  readonly total: number;
  /** Whether some of them come after the page. */
  readonly hasMore: boolean;
}

/** Rows looked at between two looks at the clock: a tenth of a millisecond. */
const BLOCK = 16 * 1024;

/** Blocks are visited in steps of this many, round and round: a prime, so all of them are. */
const STRIDE = 7919;

/** Rows of a block that match so far, ascending. Until keys are written, they are squared chords to the question's point. */
type Block = KeyedRows;

/** Keeps of the first rows of a block those that match; returns how many are left. */
type Filter = (block: Block, count: number) => number;

/** Uses the rows of a block that match. */
export type Use = (block: Block, count: number) => void;

const blocks = new Spares<Block>(() => ({ rows: new Uint32Array(BLOCK), keys: new Float64Array(BLOCK) }));

interface Scan {
  readonly orderBy: Order | null;
  readonly use: Use;
}

/**
 * Calls `use` with the rows that match, block by block, in turns of the event loop; where offers of one post are one row,
 * with the first of each at the end. Returns what `end` makes of what is then known of posts.
 */
export async function scan<R>(
  stock: Stock,
  question: Question,
  wanted: Scan,
  end: (posts: Posts | null) => R,
): Promise<R> {
  const { use } = wanted;
  if (question.grouped === null) {
    await scanRows(stock, question, wanted);
    return end(null);
  }
  return stock.posts.lend(async (posts) => {
    posts.clear();
    await scanRows(stock, question, { ...wanted, use: (block, count) => use(block, posts.take(block, count)) });
    use(...posts.firsts());
    return end(posts);
  });
}

async function scanRows(stock: Stock, question: Question, wanted: Scan): Promise<void> {
  const { rows, filters } = await candidatesFor(stock, question);
  const scanWith = (all: readonly Filter[]) =>
    blocks.lend((block) => scanBlocks(block, { stock, candidates: rows, filters: all, ...wanted }));
  if (question.words.length === 0) return scanWith(filters);
  const { words } = stock;
  if (words === null) throw new Error('There is no index of words.');
  await stock.marks.lend(async (marks) => {
    const isAnywhere = await markRows(words, question.words, marks.fill(0));
    if (isAnywhere) await scanWith([withMark(marks, question.words.length), ...filters]);
  });
}

interface BlockScan extends Scan {
  readonly stock: Stock;
  readonly candidates: Uint32Array;
  readonly filters: readonly Filter[];
}

/** The blocks come in no order: if the export is sorted by the keys, backwards, each row would come before all others. */
async function scanBlocks(block: Block, { stock, candidates, filters, orderBy, use }: BlockScan): Promise<void> {
  const writeKeys = orderBy === null ? null : keyWriter(stock.columns, orderBy);
  const count = Math.ceil(candidates.length / BLOCK);
  for (let visited = 0; visited < count; visited++) {
    const from = ((visited * STRIDE) % count) * BLOCK;
    const some = candidates.subarray(from, from + BLOCK);
    block.rows.set(some);
    const matching = filters.reduce((kept, filter) => filter(block, kept), some.length);
    writeKeys?.(block, matching);
    use(block, matching);
    if (isTurnSpent()) await freshTurn();
  }
}

/** Kinds and statuses whose candidates are kept: active offers, and three others. */
const MAX_CANDIDATES = 4;

/** The rows that a question begins with, and the filters for them. */
async function candidatesFor(stock: Stock, question: Question) {
  const { validAt } = question;
  const filters = filtersOf(stock, question);
  const known = knownCandidates(stock, question) ?? (await findCandidates(stock, question));
  if (validAt === null) return { rows: known.rows, filters };
  if (validAt >= known.open.until) known.open = await openRows(stock.columns, known.open.rows, validAt);
  const { from, rows } = known.open;
  if (validAt >= from) return { rows, filters };
  // A page of an older list: what has expired since then is still in it.
  return { rows: known.rows, filters: [notUntil(stock.columns.numbers.expires, validAt), ...filters] };
}

function knownCandidates({ candidates }: Stock, { kind, statuses }: Question): Candidates | undefined {
  return candidates.find((one) => one.kind === kind && one.statuses === (statuses?.join() ?? null));
}

async function findCandidates(stock: Stock, { kind, statuses }: Question): Promise<Candidates> {
  const { columns, dimensions } = stock;
  const ofKind = acceptedCodes(dimensions.kind, (key) => key === kind);
  const ofStatus = acceptedCodes(dimensions.status, (key) => statuses?.includes(key) ?? true);
  const found = new Uint32Array(columns.rows);
  let count = 0;
  for (let row = 0; row < columns.rows; row++) {
    if (row % BLOCK === 0 && isTurnSpent()) await freshTurn();
    if (ofKind[dimensions.kind.codes[row] ?? 0] !== 1) continue;
    if (statuses !== null && ofStatus[dimensions.status.codes[row] ?? 0] !== 1) continue;
    found[count++] = row;
  }
  const rows = found.slice(0, count);
  const never = Number.NEGATIVE_INFINITY;
  const candidates = { kind, statuses: statuses?.join() ?? null, rows, open: { rows, from: never, until: never } };
  stock.candidates = [candidates, ...stock.candidates].slice(0, MAX_CANDIDATES);
  return candidates;
}

/** Of rows that were open before, those that still are. */
async function openRows(
  { numbers: { expires } }: Columns,
  rows: Uint32Array,
  validAt: number,
): Promise<Candidates['open']> {
  const found = new Uint32Array(rows.length);
  let [count, from, until] = [0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let place = 0; place < rows.length; place++) {
    if (place % BLOCK === 0 && isTurnSpent()) await freshTurn();
    const row = rows[place] ?? 0;
    const expiry = expires[row] ?? Number.NaN;
    if (expiry <= validAt) {
      from = Math.max(from, expiry);
      continue;
    }
    if (expiry < until) until = expiry;
    found[count++] = row;
  }
  return { rows: found.slice(0, count), from, until };
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
  for (const { of, ...bounds } of times) filters.push(between(numbers[of], bounds));
  if (near !== null) filters.push(...within(columns, near));
  return filters;
}

// What loops over rows is a function of the module: one that a question makes for itself is compiled again with each, and
// interpreted until then, which doubles its time. The loops write each row, and add to the count whether it matches: a
// branch that cannot be foreseen costs six times as much, and `?:` is one. The loop that most questions begin with takes
// four rows at a time, which halves its time: their reads need not wait for where the last row was written.

function withCode(codes: Uint32Array, accepted: Uint8Array): Filter {
  return ({ rows }, count) => keepCodes(rows, count, codes, accepted);
}

/** A block's length is a multiple of four: beyond `count` it has rows of another one, which do not count. */
function keepCodes(rows: Uint32Array, count: number, codes: Uint32Array, accepted: Uint8Array): number {
  let kept = 0;
  for (let place = 0; place < count; place += 4) {
    const first = rows[place] ?? 0;
    const second = rows[place + 1] ?? 0;
    const third = rows[place + 2] ?? 0;
    const fourth = rows[place + 3] ?? 0;
    const hasFirst = accepted[codes[first] ?? 0] ?? 0;
    const hasSecond = accepted[codes[second] ?? 0] ?? 0;
    const hasThird = accepted[codes[third] ?? 0] ?? 0;
    const hasFourth = accepted[codes[fourth] ?? 0] ?? 0;
    rows[kept] = first;
    kept += hasFirst;
    rows[kept] = second;
    kept += hasSecond & Number(place + 1 < count);
    rows[kept] = third;
    kept += hasThird & Number(place + 2 < count);
    rows[kept] = fourth;
    kept += hasFourth & Number(place + 3 < count);
  }
  return kept;
}

function withMark(marks: Uint8Array, wanted: number): Filter {
  return ({ rows }, count) => keepMarked(rows, count, marks, wanted);
}

function keepMarked(rows: Uint32Array, count: number, marks: Uint8Array, wanted: number): number {
  let kept = 0;
  for (let place = 0; place < count; place++) {
    const row = rows[place] ?? 0;
    rows[kept] = row;
    kept += Number(marks[row] === wanted);
  }
  return kept;
}

/** Two numbers, neither of which is between them. */
interface Bounds {
  readonly after: number;
  readonly before: number;
}

function between(numbers: Float64Array, bounds: Bounds): Filter {
  return ({ rows }, count) => keepBetween(rows, count, numbers, bounds);
}

function keepBetween(rows: Uint32Array, count: number, numbers: Float64Array, { after, before }: Bounds): number {
  let kept = 0;
  for (let place = 0; place < count; place++) {
    const row = rows[place] ?? 0;
    const number = numbers[row] ?? Number.NaN;
    rows[kept] = row;
    kept += Number(number > after) & Number(number < before);
  }
  return kept;
}

function notUntil(numbers: Float64Array, moment: number): Filter {
  return ({ rows }, count) => keepLater(rows, count, numbers, moment);
}

/** Keeps those without a number, too. */
function keepLater(rows: Uint32Array, count: number, numbers: Float64Array, moment: number): number {
  let kept = 0;
  for (let place = 0; place < count; place++) {
    const row = rows[place] ?? 0;
    rows[kept] = row;
    kept += 1 - Number((numbers[row] ?? Number.NaN) <= moment);
  }
  return kept;
}

/** Measures the distance of those that are near by one coordinate. */
function within({ numbers }: Columns, { position, radiusKm }: NonNullable<Question['near']>): Filter[] {
  const point = pointOnSphere(position);
  const chord = chordOf(radiusKm);
  // Rounding must not leave out what lies on the circle.
  const inBand = between(numbers.z, { after: point.z - chord - 1e-12, before: point.z + chord + 1e-12 });
  const circle = { ...point, farthest: chord ** 2 };
  return [inBand, (block, count) => keepWithin(block, count, numbers, circle)];
}

/** A point on the sphere, and the greatest squared chord to it. */
interface Circle {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly farthest: number;
}

function keepWithin({ rows, keys }: Block, count: number, { x, y, z }: Columns['numbers'], circle: Circle): number {
  const { x: pointX, y: pointY, z: pointZ, farthest } = circle;
  let kept = 0;
  for (let place = 0; place < count; place++) {
    const row = rows[place] ?? 0;
    const dx = (x[row] ?? 0) - pointX;
    const dy = (y[row] ?? 0) - pointY;
    const dz = (z[row] ?? 0) - pointZ;
    const squared = dx * dx + dy * dy + dz * dz;
    rows[kept] = row;
    keys[kept] = squared;
    kept += Number(squared <= farthest);
  }
  return kept;
}

function acceptedSirets(sorted: Float64Array, wanted: readonly string[]): Uint8Array {
  const accepted = new Uint8Array(sorted.length + 1);
  for (const siret of wanted) {
    const place = firstNotBefore(sorted.length, (at) => (sorted[at] ?? 0) < Number(siret));
    if (sorted[place] === Number(siret)) accepted[place + 1] = 1;
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
}

/** Finds a page. */
export async function findPage(stock: Stock, question: Question, wanted: PageWanted): Promise<FoundPage> {
  const { orderBy, size, after } = wanted;
  // One more tells whether there is one.
  const best = new Best(size + 1, after);
  let total = 0;
  const use: Use = (rows, count) => {
    total += count;
    best.offerAll(rows, count);
  };
  return scan(stock, question, { orderBy, use }, (posts) => {
    const found = best.sorted();
    const places = found.slice(0, size);
    return { places, othersOf: posts?.others(places) ?? (() => []), total, hasMore: found.length > size };
  });
}

/** Writes into a block what its rows are sorted by, ascending; those without it come last. */
function keyWriter({ numbers, codes }: Columns, orderBy: Order): (block: Block, count: number) => void {
  if (orderBy === 'START') return timeWriter(numbers.begins, 1);
  if (orderBy === 'TITLE') return rankWriter(codes.titleRank);
  if (orderBy === 'WORKPLACE') return rankWriter(codes.workplaceRank);
  if (orderBy === 'CREATION') return timeWriter(numbers.created, -1);
  // The filter that measured distances has written them.
  return () => {};
}

const LAST = Number.MAX_VALUE;

function timeWriter(times: Float64Array, sign: 1 | -1): (block: Block, count: number) => void {
  return (block, count) => writeTimes(block, count, times, sign);
}

function writeTimes({ rows, keys }: Block, count: number, times: Float64Array, sign: 1 | -1): void {
  for (let place = 0; place < count; place++) {
    const key = sign * (times[rows[place] ?? 0] ?? Number.NaN);
    keys[place] = key <= LAST ? key : LAST;
  }
}

function rankWriter(ranks: Uint32Array): (block: Block, count: number) => void {
  return (block, count) => writeRanks(block, count, ranks);
}

function writeRanks({ rows, keys }: Block, count: number, ranks: Uint32Array): void {
  for (let place = 0; place < count; place++) keys[place] = ranks[rows[place] ?? 0] || LAST;
}
