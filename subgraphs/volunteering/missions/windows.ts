import { hash } from 'node:crypto';
import { accountOf } from '../../../kernel/cached-values.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { FieldArguments } from '../../../kernel/price.js';
import { isRecord } from '../../../kernel/text.js';
import { DEFAULT_SIZE, type Page, type Trail } from '../../graph/connection.js';
import { type Origin, orNull, rawOf } from '../../rest/shape.js';
import type { Upstream, UpstreamRequest } from '../../rest/upstream.js';
import {
  isView,
  type ListQuery,
  type OffsetPage,
  type ReadPage,
  ReadRows,
  type Row,
  readPlainPage,
} from '../values/lists.js';
import { MAX_ROWS, type MissionList } from './client.js';
import { finishFilter, type MissionFilter } from './filters.js';
import type { MissionView } from './shapes.js';

/**
 * Pages of missions are served out of **windows**: larger parts of the list that are read with one call each.
 *
 * The service sorts by start date without a second criterion (volunteering 2.4), so each response may have missions with
 * the same start in another order. Where a page begins between two of them, some are on both pages and others on none:
 * of 1,174 missions of the sandbox, pages of 25 that are read one by one lose 29, pages of 100 lose 6, of 500 lose 1.
 * Larger parts alone have fewer borders, but the first page would cost as much as twenty.
 *
 * - A **walk** begins with a window of as many rows as its first page has, at most a thousand. It then grows: each window
 *   has three times as many rows as all before it, up to about 500. Pages of 25 take 5 calls for 1,174 missions, not 47. A
 *   page that reaches over the end of its window is read out of several, one after the other.
 * - A window begins where the one before ends, but is **read from the first mission with the same start** as the last
 *   one before. All missions between which the service may choose are then in one response, and those that were given
 *   already are dropped by their identifiers. Nothing is lost or repeated, whatever the size of a window, as long as no
 *   start is that of more missions than two windows have.
 * - A cursor carries its walk's **trail**: where the walk began, from where its window was read, and a digest of all
 *   missions given so far. The next page goes on only if memory has that very window, with the same digest. If not,
 *   because it expired or was evicted, or is on another replica, or for a page of another size, a new walk begins there.
 * - Where part of a filter is applied here, the walk is that of all missions that the source sends, by windows of 500.
 *
 * Windows are entries of the response cache, per key, under its bound in bytes. What was given is remembered on them.
 */

/** Most rows of a window after the first; with as many again of those before, no call has more than a thousand. */
const MOST_ROWS = 500;
/** By how much a window is larger than all before it. */
const GROWTH = 3;
/** Most windows for one page when part of a filter is applied here. */
const FILTERED_WINDOWS = 4;

/** Where windows are read. */
export interface WindowSource<A> {
  readonly upstream: Upstream;
  readonly operation: OperationContext;
  request(rows: Pick<ListQuery, 'skip' | 'limit' | 'bulk'>): UpstreamRequest<A>;
  /** Offset at which the source cuts the list off. */
  readonly ceiling: number;
  /** The part of the filter that is applied here; null if there is none. */
  readonly matches: ((row: MissionView) => boolean) | null;
  /** Rows of the first window of a walk. Default: those of a page. */
  readonly walkSize?: number;
}

/** A page out of windows; the response is that of the first of them. */
export interface WindowPage<A> extends ReadPage<MissionView, A> {
  /** Whether the walk, which ends with this page, gave as many missions as there are; null if that is not known. */
  complete(): boolean | null;
}

/** The part of a page that is in one window. */
interface Part<A> extends WindowPage<A> {
  /** Offset at which the next part begins. */
  readonly end: number;
  /** Whether the source sent fewer rows than it was asked for and counts. */
  readonly isShort: boolean;
}

type PartSource<A> = WindowSource<A> & { readonly walkSize: number };

/** Reads a page with one call, or with one for each window that it reaches into (`callsOfPage`). */
export function readWindowPage<A extends MissionList>(page: Page, source: WindowSource<A>): PromiseLike<WindowPage<A>> {
  const { matches, walkSize = matches === null ? Math.max(1, page.size) : MOST_ROWS } = source;
  return matches === null
    ? readAll(page, { ...source, walkSize })
    : readMatching(page, { ...source, walkSize }, matches);
}

/** Most calls for a page with these arguments. */
export function callsOfPage(args: FieldArguments): number {
  if (finishFilter(args as MissionFilter) !== null) return FILTERED_WINDOWS;
  const size = Number(args['first'] ?? DEFAULT_SIZE);
  const isFirst = (args['after'] ?? null) === null;
  return isFirst ? 1 + windowsIn(size - MAX_ROWS) : Math.max(1, windowsIn(size));
}

/** Windows of a walk's usual size in so many rows. */
function windowsIn(rows: number): number {
  return Math.max(0, Math.ceil(rows / MOST_ROWS));
}

function readAll<A extends MissionList>(page: Page, source: PartSource<A>): PromiseLike<Part<A>> {
  return readPart(page, source).then((part) => {
    const { content, end } = part;
    const size = page.offset + page.size - end;
    if (size <= 0 || part.isShort || content.hasNextPage !== true) return part;
    const rest = { ...page, offset: end, size, trail: content.trail?.() ?? null };
    return readAll(rest, source).then((more) => {
      const items = [...content.items, ...more.content.items];
      const places = [...placesOf(page, part), ...placesOf(rest, more)];
      return { ...more, content: { ...more.content, items, places }, response: part.response };
    });
  });
}

function placesOf<A>({ offset }: Page, { content: { items, places } }: Part<A>): readonly number[] {
  return places ?? items.map((_, index) => offset + index);
}

/**
 * Reads on until the page is full of matching rows, the list ends or repeats itself, or the page has used up its calls.
 * Cursors remain offsets in the source's list, so that the next page resumes where this one stopped.
 */
async function readMatching<A extends MissionList>(
  page: Page,
  source: PartSource<A>,
  matches: (row: MissionView) => boolean,
): Promise<WindowPage<A>> {
  const items: MissionView[] = [];
  const places: number[] = [];
  const read = new ReadRows<MissionView>((row) => orNull(() => row.id));
  // For a page of size 0 one row is looked for, to find out whether rows follow.
  const wanted = Math.max(1, page.size);
  let at: Page = { ...page, size: MOST_ROWS };
  let first: A | null = null;
  let last: Part<A> | null = null;
  let hasNextPage = true;
  for (let call = 0; call < FILTERED_WINDOWS && hasNextPage && items.length < wanted; call++) {
    last = await readPart(at, source);
    first ??= last.response;
    const rows = read.add(last.content.items);
    if (rows === null) break;
    let next = last.end;
    for (const [index, row] of rows.entries()) {
      if (items.length === wanted) {
        next = at.offset + index;
        break;
      }
      if (!isView(row) || !matches(row)) continue;
      items.push(row);
      places.push(at.offset + index);
    }
    hasNextPage = next < last.end || last.content.hasNextPage === true;
    at = { ...at, offset: next, trail: last.content.trail?.() ?? null };
  }
  if (items.length > page.size) hasNextPage = true;
  const { trail } = at;
  const content = {
    items: items.slice(0, page.size),
    places,
    totalCount: null,
    hasNextPage,
    ...(at.offset > page.offset && { readUpTo: at.offset - 1 }),
    ...(trail !== null && { trail: () => trail }),
  };
  return { content, response: first, complete: () => (hasNextPage ? null : (last?.complete() ?? null)) };
}

function readPart<A extends MissionList>(page: Page, source: PartSource<A>): PromiseLike<Part<A>> {
  return goOn(page, source) ?? begin(page, source);
}

/** The first window of a walk. */
function begin<A extends MissionList>(page: Page, source: PartSource<A>): PromiseLike<Part<A>> {
  const { upstream, operation, ceiling, walkSize } = source;
  const { offset } = page;
  const own = windowAt(offset, { base: offset, size: walkSize });
  const size = Math.min(page.size, own.end - offset);
  const limitOf = (least: number) => Math.max(least, Math.min(own.end, ceiling) - offset);
  const bulk = page.size > MAX_ROWS;
  const fetch = (skip: number, least: number) =>
    upstream.read(source.request({ skip, limit: limitOf(least), bulk }), operation);
  return readPlainPage<MissionView, A>({ ...page, size }, { fetch, maximum: MAX_ROWS, ceiling }).then((read) => {
    const { content, response } = read;
    const { items, hasNextPage } = content;
    const end = offset + (items.length || size);
    if (response === null || typeof response.total !== 'number')
      return { ...read, complete: () => null, end, isShort: items.length < size };
    const isShort = items.length < size && hasNextPage === true;
    const given = () => giveOf(response, { ...own, from: offset }, { before: null, origin: upstream.origin }).upTo;
    return {
      content: size === 0 || isShort ? content : { ...content, trail: () => [offset, offset, given().stamp()] },
      response,
      complete: () => (hasNextPage === true ? null : isWhole(given(), response)),
      end,
      isShort,
    };
  });
}

/** A further part of a walk; null if memory does not have the window that it follows. */
function goOn<A extends MissionList>(page: Page, source: PartSource<A>): PromiseLike<Part<A>> | null {
  const { upstream, operation, ceiling, walkSize } = source;
  const { offset } = page;
  const trail = readTrail(page);
  if (trail === null || page.size === 0 || offset >= ceiling) return null;
  const last = windowAt(offset - 1, { base: trail.base, size: walkSize });
  const own = windowAt(offset, { base: trail.base, size: walkSize });
  const requestOf = (from: number, end: number) =>
    source.request({ skip: from, limit: Math.min(end, ceiling) - from, bulk: true });
  const known = upstream.recall(requestOf(trail.from, last.end), operation);
  const before = known && findGiven(known.value, trail.stamp);
  if (known === undefined || before === undefined) return null;
  const isSame = own.start === last.start;
  if (isSame && !known.isFresh) return null;
  // At most as many rows again as the window has, however many missions have the same start.
  const from = isSame ? trail.from : Math.max(before.upTo.tie, 2 * own.start - own.end);
  return upstream.read(requestOf(from, own.end), operation).then((response) => {
    if (response === null) return begin(page, source);
    const after = { before: isSame ? null : before.upTo, origin: upstream.origin };
    const given = response === known.value ? before : giveOf(response, { ...own, from }, after);
    const part = { ...page, size: Math.min(page.size, own.end - offset) };
    return pageIn(part, { ...given, ceiling, response, trail: () => [trail.base, from, given.upTo.stamp()] });
  });
}

/** The trail in a cursor; null without one, or if it is forged. */
function readTrail({ offset, trail }: Page): { base: number; from: number; stamp: string } | null {
  const [base, from, stamp] = trail ?? [];
  if (typeof stamp !== 'string' || !Number.isSafeInteger(base) || !Number.isSafeInteger(from)) return null;
  const [walk, read] = [Number(base), Number(from)];
  return walk >= 0 && walk < offset && read >= 0 && read < offset ? { base: walk, from: read, stamp } : null;
}

interface Walk {
  readonly base: number;
  readonly size: number;
}

/** Offsets in the list: its first row, and the one after its last. */
interface Window {
  readonly start: number;
  readonly end: number;
}

/** The window of a walk in which a place is. */
function windowAt(place: number, { base, size }: Walk): Window {
  const most = size > MOST_ROWS ? MOST_ROWS : size * Math.floor(MOST_ROWS / Math.max(1, size));
  let [start, end] = [base, base + Math.min(size, MAX_ROWS)];
  while (end <= place) {
    const rows = Math.min(GROWTH * (end - base), most);
    // From here on all are of one size.
    const passed = rows === most ? Math.floor((place - end) / most) * most : 0;
    [start, end] = [end + passed, end + passed + rows];
  }
  return { start, end };
}

/** How many calls it takes to read so many rows that follow the first page of a walk. */
export function windowsAfter(size: number, rows: number): number {
  let calls = 0;
  for (let { end } = windowAt(0, { base: 0, size }); end < size + rows; calls++)
    end = windowAt(end, { base: 0, size }).end;
  return calls;
}

/** What a walk gave out of one window. */
interface Given {
  readonly rows: readonly Row<MissionView>[];
  readonly start: number;
  readonly upTo: GivenUpTo;
}

/** What a walk gave up to the end of a window. */
interface GivenUpTo {
  /** Identifiers of the missions of this window. */
  readonly ids: ReadonlySet<string>;
  readonly before: GivenUpTo | null;
  /** How many different missions. */
  readonly count: number;
  /** Whether the source sent missions beyond the number that it reports. */
  readonly isBeyond: boolean;
  /** Whether the walk began at the start of the list, and each mission had an identifier. */
  readonly isKnown: boolean;
  /** Place of the first of the missions with the same start as the last one. */
  readonly tie: number;
  /** Undefined if it cannot be read. */
  readonly startAt: string | null | undefined;
  /** A digest of all identifiers. */
  stamp(): string;
}

/** What walks gave out of a window: usually one, or several whose windows before were different responses. */
const givenOut = new WeakMap<MissionList, Given[]>();
/** How many of them are remembered. */
const MOST_WALKS = 4;
/** Bytes of heap that an identifier takes in a set. */
const ID_BYTES = 100;

function findGiven(response: MissionList, stamp: string): Given | undefined {
  return givenOut.get(response)?.find(({ upTo }) => upTo.stamp() === stamp);
}

/** The rows of a window, which was read from a place before it, without those that were given before. */
function giveOf(
  response: MissionList,
  { start, end, from }: Window & { readonly from: number },
  { before, origin }: { readonly before: GivenUpTo | null; readonly origin: Origin },
): Given {
  const known = givenOut.get(response) ?? [];
  const same = known.find((given) => given.start === start && given.upTo.before === before);
  if (same !== undefined) return same;
  const rest =
    before === null ? response.rows.slice(start - from) : response.rows.filter((row) => !isGiven(row, before));
  // No place is beyond the total, so nothing after it would be shown.
  const rows = rest.slice(0, Math.max(0, Math.min(end, totalOf(response)) - start));
  const isBeyond = start + rest.length > totalOf(response);
  const given = { rows, start, upTo: upToEnd(rows, start, before, isBeyond) };
  // Its order is then not known, and windows are read one after the other without what they have in common.
  if (rows.length > 0 && given.upTo.startAt === undefined) origin.drift('Mission.startAt', 'form');
  givenOut.set(response, [...known.slice(1 - MOST_WALKS), given]);
  const [row = null] = rows;
  if (isView(row)) accountOf(row)?.add(ID_BYTES * given.upTo.count);
  return given;
}

function totalOf({ total }: MissionList): number {
  return typeof total === 'number' ? total : Number.POSITIVE_INFINITY;
}

function upToEnd(
  rows: readonly Row<MissionView>[],
  start: number,
  before: GivenUpTo | null,
  isBeyond: boolean,
): GivenUpTo {
  const all = rows.map(idOf);
  const ids = new Set(all.filter((id) => id !== null));
  let digest: string | null = null;
  return {
    ids,
    before,
    count: (before?.count ?? 0) + ids.size,
    isBeyond: isBeyond || before?.isBeyond === true,
    isKnown: (before?.isKnown ?? start === 0) && !all.includes(null),
    ...tieOf(rows, start, before),
    stamp() {
      digest ??= hash('sha256', `${before?.stamp() ?? start}\n${all.join('\n')}`, 'base64url').slice(0, 8);
      return digest;
    },
  };
}

function tieOf(
  rows: readonly Row<MissionView>[],
  start: number,
  before: GivenUpTo | null,
): Pick<GivenUpTo, 'tie' | 'startAt'> {
  if (rows.length === 0) return { tie: before?.tie ?? start, startAt: before?.startAt };
  const startAt = startOf(rows.at(-1) ?? null);
  if (startAt === undefined) return { tie: start + rows.length, startAt };
  const other = rows.findLastIndex((row) => startOf(row) !== startAt);
  if (other === -1 && before !== null && before.startAt === startAt) return { tie: before.tie, startAt };
  return { tie: start + other + 1, startAt };
}

function isGiven(row: Row<MissionView>, upTo: GivenUpTo): boolean {
  const id = idOf(row);
  for (let part: GivenUpTo | null = upTo; part !== null && id !== null; part = part.before) {
    if (part.ids.has(id)) return true;
  }
  return false;
}

/** Read as sent: what nobody selected is not checked. */
function idOf(row: Row<MissionView>): string | null {
  const raw = rawOf(row);
  return isRecord(raw) && typeof raw['_id'] === 'string' ? raw['_id'] : null;
}

/** What missions are sorted by; undefined for a row that lacks it. */
function startOf(row: Row<MissionView>): string | null | undefined {
  const raw = rawOf(row);
  return isView(row) && isRecord(raw) && 'startAt' in raw ? orNull(() => row.startAt) : undefined;
}

/** The rows of a page out of what was given from its window. */
function pageIn<A extends MissionList>(
  { offset, size }: Page,
  { rows, start, upTo, ceiling, response, trail }: Given & { ceiling: number; response: A; trail: () => Trail },
): Part<A> {
  const { total } = response;
  const items = rows.slice(offset - start, offset - start + size);
  const hasNextPage = typeof total === 'number' ? offset + size < Math.min(total, ceiling) : items.length === size;
  // Places of missions that a response lacked are passed over.
  const passed = hasNextPage && items.length > 0 ? { readUpTo: offset + size - 1 } : {};
  return {
    content: { items, totalCount: total, hasNextPage, trail, ...passed },
    response,
    complete: () => (hasNextPage ? null : isWhole(upTo, response)),
    end: offset + size,
    isShort: false,
  };
}

/** Whether as many missions were given as there are. */
function isWhole({ isKnown, isBeyond, count }: GivenUpTo, { total }: OffsetPage<MissionView>): boolean | null {
  return isKnown && typeof total === 'number' ? count === total && !isBeyond : null;
}
