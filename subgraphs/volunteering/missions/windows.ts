import { hash } from 'node:crypto';
import { accountOf } from '../../../kernel/cached-values.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { isRecord } from '../../../kernel/text.js';
import type { Page, Trail } from '../../graph/connection.js';
import { rawOf } from '../../rest/shape.js';
import type { Upstream, UpstreamRequest } from '../../rest/upstream.js';
import { isView, type ListQuery, type OffsetPage, type ReadPage, type Row, readPlainPage } from '../values/lists.js';
import { MAX_MISSIONS, type MissionList } from './client.js';
import type { MissionView } from './shapes.js';

/**
 * Pages of missions are served out of **windows**: larger parts of the list that are read with one call each.
 *
 * The service sorts by start date without a second criterion (volunteering 2.4), so each response may have missions with
 * the same start in another order. Where a page begins between two of them, some are on both pages and others on none:
 * of 1,174 missions of the sandbox, pages of 25 that are read one by one lose 29, pages of 100 lose 6, of 500 lose 1.
 * Larger parts alone have fewer borders, but the first page would cost as much as twenty.
 *
 * - A **walk** begins with a page that is read alone, by as many rows as it has. It then grows: each window has three
 *   times as many rows as all before it, up to about 500, and always whole pages. Pages of 25 take 5 calls for 1,174
 *   missions, not 47.
 * - A window begins where the one before ends, but is **read from the first mission with the same start** as the last
 *   one before. All missions between which the service may choose are then in one response, and those that were given
 *   already are dropped by their identifiers. Nothing is lost or repeated, whatever the size of a window.
 * - A cursor carries its walk's **trail**: where the walk began, from where its window was read, and a digest of all
 *   missions given so far. The next page goes on only if memory has that very window, with the same digest. If not,
 *   because it expired or was evicted, or is on another replica, or for a page of another size, a new walk begins there.
 *
 * Windows are entries of the response cache, per key, under its bound in bytes. What was given is remembered on them.
 */

/** Most rows of a window, unless a page has more: an entry of so many is still shared through the store. */
const MOST_ROWS = 500;
/** By how much a window is larger than all before it. */
const GROWTH = 3;

/** Where windows are read. */
export interface WindowSource<A> {
  readonly upstream: Upstream;
  readonly operation: OperationContext;
  request(rows: Pick<ListQuery, 'skip' | 'limit'>): UpstreamRequest<A>;
  /** Offset at which the source cuts the list off. */
  readonly ceiling: number;
}

/** A page out of a window; the response is that of the window. */
export interface WindowPage<A> extends ReadPage<MissionView, A> {
  /** Whether the walk, which ends with this page, gave as many missions as there are; null if that is not known. */
  complete(): boolean | null;
}

/** Reads a page with at most one call. */
export function readWindowPage<A extends MissionList>(page: Page, source: WindowSource<A>): PromiseLike<WindowPage<A>> {
  return goOn(page, source) ?? begin(page, source);
}

/** The first page of a walk. */
function begin<A extends MissionList>(page: Page, source: WindowSource<A>): PromiseLike<WindowPage<A>> {
  const { upstream, operation, ceiling } = source;
  const fetch = (skip: number, limit: number) => upstream.read(source.request({ skip, limit }), operation);
  return readPlainPage<MissionView, A>(page, { fetch, maximum: MAX_MISSIONS, ceiling }).then((read) => {
    const { content, response } = read;
    const { offset, size } = page;
    if (response === null || typeof response.total !== 'number') return { ...read, complete: () => null };
    const given = () => giveOf(response, { start: offset, end: offset + size, from: offset }, null).upTo;
    return {
      content: size === 0 ? content : { ...content, trail: () => [offset, offset, given().stamp()] },
      response,
      complete: () => (content.hasNextPage === true ? null : isWhole(given(), response)),
    };
  });
}

/** A further page of a walk; null if memory does not have the window that it follows. */
function goOn<A extends MissionList>(page: Page, source: WindowSource<A>): PromiseLike<WindowPage<A>> | null {
  const { upstream, operation, ceiling } = source;
  const { offset, size } = page;
  const trail = readTrail(page);
  if (trail === null || size === 0 || offset >= ceiling) return null;
  const last = windowAt(offset - 1, { base: trail.base, size });
  const own = windowAt(offset, { base: trail.base, size });
  // The cursor of a mission in the middle of a page may lead across a border.
  if (offset + size > own.end) return null;
  const requestOf = (from: number, end: number) => source.request({ skip: from, limit: Math.min(end, ceiling) - from });
  const known = upstream.recall(requestOf(trail.from, last.end), operation);
  const before = known && findGiven(known.value, trail.stamp);
  if (known === undefined || before === undefined) return null;
  const isSame = own.start === last.start;
  if (isSame && !known.isFresh) return null;
  // At most as many rows again as the window has, however many missions have the same start.
  const from = isSame ? trail.from : Math.max(before.upTo.tie, 2 * own.start - own.end, own.end - MAX_MISSIONS);
  return upstream.read(requestOf(from, own.end), operation).then((response) => {
    if (response === null) return begin(page, source);
    const given = response === known.value ? before : giveOf(response, { ...own, from }, isSame ? null : before.upTo);
    return pageIn(page, { ...given, ceiling, response, trail: () => [trail.base, from, given.upTo.stamp()] });
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
  const most = size * Math.max(1, Math.floor(MOST_ROWS / size));
  let [start, end] = [base, base + size];
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
  readonly startAt: unknown;
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
  before: GivenUpTo | null,
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

/** What missions are sorted by, as sent. */
function startOf(row: Row<MissionView>): unknown {
  const raw = rawOf(row);
  return isRecord(raw) ? (raw['startAt'] ?? null) : null;
}

/** The rows of a page out of what was given from its window. */
function pageIn<A extends MissionList>(
  { offset, size }: Page,
  { rows, start, upTo, ceiling, response, trail }: Given & { ceiling: number; response: A; trail: () => Trail },
): WindowPage<A> {
  const { total } = response;
  const items = rows.slice(offset - start, offset - start + size);
  const hasNextPage = typeof total === 'number' ? offset + size < Math.min(total, ceiling) : items.length === size;
  // Places of missions that a response lacked are passed over.
  const passed = hasNextPage && items.length > 0 ? { readUpTo: offset + size - 1 } : {};
  return {
    content: { items, totalCount: total, hasNextPage, trail, ...passed },
    response,
    complete: () => (hasNextPage ? null : isWhole(upTo, response)),
  };
}

/** Whether as many missions were given as there are. */
function isWhole({ isKnown, isBeyond, count }: GivenUpTo, { total }: OffsetPage<MissionView>): boolean | null {
  return isKnown && typeof total === 'number' ? count === total && !isBeyond : null;
}
