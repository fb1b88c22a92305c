import { hash } from 'node:crypto';
import type { OperationContext } from '../../../kernel/operation.js';
import type { FieldArguments } from '../../../kernel/price.js';
import { isRecord } from '../../../kernel/text.js';
import { DEFAULT_SIZE, type Page, type PageContent } from '../../graph/connection.js';
import { orNull, rawOf, type Sender } from '../../rest/shape.js';
import type { Upstream, UpstreamRequest } from '../../rest/upstream.js';
import { isView, type ListQuery, type OffsetPage, type Row } from '../values/lists.js';
import { MAX_ROWS, type MissionList } from './client.js';
import { finishFilter, type MissionFilter } from './filters.js';
import type { MissionView } from './shapes.js';

/**
 * Pages of missions are served out of **blocks**: larger parts of the list that are read with one call each.
 *
 * The service sorts by start date without a second criterion (volunteering 2.4), so each response may have missions with
 * the same start in another order. Where a page begins between two of them, some are on both pages and others on none:
 * of 1,174 missions of the sandbox, pages of 25 that are read one by one lose 29, pages of 100 lose 6, of 500 lose 1.
 * Larger parts alone have fewer borders, but the first page would cost as much as twenty.
 *
 * - A **walk** begins with a block of as many rows as its first page has, at most a thousand. It then grows: each block
 *   has three times as many rows as all before it, up to about 500. Pages of 25 take 5 calls for 1,174 missions, not 47. A
 *   page that reaches over the end of its block is read out of several, one after the other.
 * - A block begins where the one before ends, but is **read from the first mission with the same start** as the last
 *   one before. All missions between which the service may choose are then in one response, and those that were given
 *   already are dropped by their identifiers. Nothing is lost or repeated, whatever the size of a block, as long as no
 *   start is that of more missions than two blocks have.
 * - A cursor carries its walk's **state**: where the walk began, from where its block was read, and a digest of all
 *   missions given so far. The next page goes on only if memory has that very block, with the same digest. If not,
 *   because it expired or was evicted, or is on another replica, or for a page of another size, a new walk begins there.
 * - Where part of a filter is applied here, the walk is that of all missions that the source sends, by blocks of 500.
 *
 * Blocks are entries of the response cache, per key, under its bound in bytes. What was given is remembered on them.
 */

/** Most rows of a block after the first; with as many again of those before, no call has more than a thousand. */
const MOST_ROWS = 500;
/** By how much a block is larger than all before it. */
const GROWTH = 3;
/** Most blocks for one page when part of a filter is applied here. */
const FILTERED_BLOCKS = 4;

/** Where blocks are read. */
export interface BlockSource<A> {
  readonly upstream: Upstream;
  readonly operation: OperationContext;
  request(rows: Pick<ListQuery, 'skip' | 'limit' | 'bulk'>): UpstreamRequest<A>;
  /** The part of the filter that is applied here; null if there is none. */
  readonly matches: ((row: MissionView) => boolean) | null;
  /** Rows of the first block of a walk. Default: those of a page. */
  readonly walkSize?: number;
}

/** A page out of blocks; the response is that of the first of them. */
export interface BlockPage<A> {
  readonly content: PageContent<Row<MissionView>>;
  readonly response: A | null;
  /** Whether the walk, which ends with this page, gave as many missions as there are; null if that is not known. */
  complete(): boolean | null;
}

/**
 * Reads a page with one call, or with one for each block that it reaches into (`callsOfPage`): until it is full, the list
 * ends or, where part of a filter is applied here, it has used up its calls. One row is looked for where none is wanted,
 * to find out whether rows follow.
 */
export async function readBlockPage<A extends MissionList>(page: Page, source: BlockSource<A>): Promise<BlockPage<A>> {
  const { matches, walkSize = matches === null ? Math.max(1, page.size) : MOST_ROWS } = source;
  const wanted = Math.max(1, page.size);
  const items: Row<MissionView>[] = [];
  // Offsets in the source's list, from which the next page resumes where this one stopped.
  const places: number[] = [];
  let last = lastOf(page, source, walkSize);
  let base = last?.walk.base ?? page.offset;
  let first: A | null = null;
  let place = page.offset;
  const isFull = () => (matches === null ? place >= page.offset + wanted : items.length === wanted);
  for (let calls = 1; ; calls++) {
    const walk = { base, size: walkSize };
    const { response, given, isCut } = await readBlock({ offset: place, walk, last }, page, source);
    first ??= response;
    const total = response?.total ?? null;
    const begin = place;
    for (const row of given.rows.slice(place - given.start)) {
      if (isFull()) break;
      if (matches === null || (isView(row) && matches(row))) {
        items.push(row);
        places.push(place);
      }
      place += 1;
    }
    const isRead = place >= given.start + given.rows.length;
    // A source that serves fewer rows at once than it was asked for: the next page is another walk.
    const isShort = isCut && last === null && typeof total === 'number' && place < total;
    const wasFull = isFull();
    // Places of missions that a response lacked are passed over.
    if (isRead && !wasFull && !(isShort && place > begin))
      place = matches === null ? Math.min(given.end, page.offset + wanted) : given.end;
    const mayFollow = typeof total === 'number' ? place < total : !(isRead && isCut);
    const mayRead = matches === null ? !isShort && place < page.offset + page.size : calls < FILTERED_BLOCKS;
    if (!wasFull && mayFollow && mayRead) {
      if (isShort) base = place;
      last = isShort ? null : given;
      continue;
    }
    const hasNextPage = mayFollow || items.length > page.size;
    const content = {
      items: items.slice(0, page.size),
      places,
      totalCount: matches === null ? total : null,
      hasNextPage,
      ...(hasNextPage && place > page.offset && { readUpTo: place - 1 }),
      ...(!isShort && { state: () => [walk.base, given.from, given.stamp] }),
    };
    return { content, response: first, complete: () => (hasNextPage ? null : isWhole(given, total)) };
  }
}

/** Most calls for a page with these arguments. */
export function callsOfPage(args: FieldArguments): number {
  if (finishFilter(args as MissionFilter) !== null) return FILTERED_BLOCKS;
  const size = Number(args['first'] ?? DEFAULT_SIZE);
  const isFirst = (args['after'] ?? null) === null;
  return isFirst ? 1 + blocksIn(size - MAX_ROWS) : Math.max(1, blocksIn(size));
}

/** Blocks of a walk's usual size in so many rows. */
function blocksIn(rows: number): number {
  return Math.max(0, Math.ceil(rows / MOST_ROWS));
}

/** The block of a place, after the one before or around it; `isCut` if the source sent fewer rows than asked for. */
async function readBlock<A extends MissionList>(
  { offset, walk, last }: { readonly offset: number; readonly walk: Walk; readonly last: Given | null },
  { size }: Page,
  { upstream, operation, request }: BlockSource<A>,
) {
  const bulk = last !== null || size > MAX_ROWS;
  const own = blockAt(offset, walk);
  const isSame = last?.start === own.start;
  // At most as many rows again as the block has, however many missions have the same start.
  const from = last === null ? offset : isSame ? last.from : Math.max(last.tie, 2 * own.start - own.end);
  const limit = own.end - from;
  const response = await upstream.read(request({ skip: from, limit, bulk }), operation);
  const isKnown = response !== null && isSame && givenOut.get(response) === last;
  const after = { after: isSame ? null : last, sender: upstream.sender };
  const given = isKnown ? last : giveOf(response ?? EMPTY, { from, walk, ...own }, after);
  return { response, given, isCut: (response?.rows.length ?? 0) < limit };
}

const EMPTY: MissionList = { rows: [], total: null };

/** The block in which the page before ended; null if memory does not have it, or the cursor is forged. */
function lastOf<A extends MissionList>(
  { offset, state }: Page,
  { upstream, operation, request }: BlockSource<A>,
  size: number,
): Given | null {
  const [base, from, stamp] = state ?? [];
  if (typeof stamp !== 'string' || !isBefore(base, offset) || !isBefore(from, offset)) return null;
  const { end } = blockAt(offset - 1, { base, size });
  const known = upstream.recall(request({ skip: from, limit: end - from }), operation);
  const given = known?.value && givenOut.get(known.value);
  return given?.stamp === stamp && (offset >= end || known?.isFresh === true) ? given : null;
}

function isBefore(place: unknown, offset: number): place is number {
  return Number.isSafeInteger(place) && Number(place) >= 0 && Number(place) < offset;
}

interface Walk {
  readonly base: number;
  readonly size: number;
}

/** Offsets in the list: its first row, and the one after its last. */
interface Block {
  readonly start: number;
  readonly end: number;
}

/** The block of a walk in which a place is. */
function blockAt(place: number, { base, size }: Walk): Block {
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
export function blocksAfter(size: number, rows: number): number {
  let calls = 0;
  for (let { end } = blockAt(0, { base: 0, size }); end < size + rows; calls++)
    end = blockAt(end, { base: 0, size }).end;
  return calls;
}

/** What a walk gave out of one block. */
interface Given extends Block {
  readonly walk: Walk;
  /** Where the block was read from. */
  readonly from: number;
  readonly rows: readonly Row<MissionView>[];
  /** Identifiers of the missions of this block, and of each before. */
  readonly ids: readonly ReadonlySet<string>[];
  /** Whether the walk began at the start of the list, and each mission had an identifier. */
  readonly isKnown: boolean;
  /** Place of the first of the missions with the same start as the last one. */
  readonly tie: number;
  /** That start; undefined if it cannot be read. */
  readonly startAt: string | null | undefined;
  /** A digest of all identifiers, and that of the block before. */
  readonly stamp: string;
  readonly after: string | null;
}

/** What the last walk gave out of a block: others that have it went through the same blocks before. */
const givenOut = new WeakMap<MissionList, Given>();

/** The rows of a block, which was read from a place before it, without those that were given before. */
function giveOf(
  response: MissionList,
  block: Block & { readonly from: number; readonly walk: Walk },
  { after, sender }: { readonly after: Given | null; readonly sender: Sender },
): Given {
  const { start, end, from } = block;
  const stampBefore = after?.stamp ?? null;
  const known = givenOut.get(response);
  if (known?.start === start && known.after === stampBefore) return known;
  const isGiven = (id: string | null) => id !== null && after?.ids.some((ids) => ids.has(id)) === true;
  const rest = after === null ? response.rows.slice(start - from) : response.rows.filter((row) => !isGiven(idOf(row)));
  const rows = rest.slice(0, end - start);
  const all = rows.map(idOf);
  const ids = [...(after?.ids ?? []), new Set(all.filter((id) => id !== null))];
  const text = `${stampBefore ?? start}\n${all.join('\n')}`;
  const given: Given = {
    ...block,
    rows,
    ids,
    isKnown: (after?.isKnown ?? start === 0) && !all.includes(null),
    ...tieOf(rows, start, after),
    stamp: hash('sha256', text, 'base64url').slice(0, 8),
    after: stampBefore,
  };
  // Its order is then not known, and blocks are read one after the other without what they have in common.
  if (rows.length > 0 && given.startAt === undefined) sender.drift('Mission.startAt', 'form');
  givenOut.set(response, given);
  return given;
}

function tieOf(rows: readonly Row<MissionView>[], start: number, before: Given | null): Pick<Given, 'tie' | 'startAt'> {
  if (rows.length === 0) return { tie: before?.tie ?? start, startAt: before?.startAt };
  const startAt = startOf(rows.at(-1) ?? null);
  if (startAt === undefined) return { tie: start + rows.length, startAt };
  const other = rows.findLastIndex((row) => startOf(row) !== startAt);
  if (other === -1 && before !== null && before.startAt === startAt) return { tie: before.tie, startAt };
  return { tie: start + other + 1, startAt };
}

function idOf(row: Row<MissionView>): string | null {
  return isView(row) ? orNull(() => row.id) : null;
}

/** What missions are sorted by; undefined for a row that lacks it. */
function startOf(row: Row<MissionView>): string | null | undefined {
  const raw = rawOf(row);
  return isView(row) && isRecord(raw) && 'startAt' in raw ? orNull(() => row.startAt) : undefined;
}

/** Whether as many different missions were given as there are; null if that is not known. */
function isWhole({ ids, isKnown }: Given, total: OffsetPage<MissionView>['total']): boolean | null {
  const count = ids.reduce((sum, { size }) => sum + size, 0);
  return isKnown && typeof total === 'number' ? count === total : null;
}
