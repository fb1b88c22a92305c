import { hash } from 'node:crypto';
import { badUserInput, together } from './arguments.js';

/** The two arguments that every connection has. */
export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** Page size when the caller names none, as in the volunteering service (volunteering 4.4). */
export const DEFAULT_SIZE = 25;

/** Which list it is, and what its source allows. */
interface PageRules {
  /** The list's name and all that filters it: a cursor of another list or filter is refused. */
  readonly list: string;
  readonly filter?: unknown;
  /** Largest page that the source serves. */
  readonly maximum: number;
}

/** A checked request for one page. */
export interface Page {
  /** Offset of the page's first item in the source's list, from 0. */
  readonly offset: number;
  /** How many items are requested. Even for 0 the list is read, because `hasNextPage` says whether items follow. */
  readonly size: number;
  /** The cursor that was sent, if any. */
  readonly after: string | null;
  /** What the list wrote into the cursor after which the page begins; null without such a cursor. */
  readonly state: CursorState | null;
  /** The cursor of the item at this offset in the list. */
  cursorAt(place: number, state?: CursorState): string;
}

/** What a list needs to know, at the next page, of how it read this one. */
export type CursorState = readonly (string | number)[];

/** What is known about a page once the source has responded. */
export interface PageContent<T> {
  readonly items: readonly T[];
  /** Offsets of the items in the source's list, where they are not consecutive. */
  readonly places?: readonly number[];
  /** How many items the whole list has; null if the source does not say, an error if its count is malformed. */
  readonly totalCount: number | null | Error;
  /** Whether items follow; derived from `totalCount` if omitted. */
  readonly hasNextPage?: boolean;
  /** Offset up to which the list was read, if that is beyond the last item shown. */
  readonly readUpTo?: number;
  /** What the cursors of the page carry. */
  state?(): CursorState;
}

/** One item of a page, with the cursor after which a caller continues. */
export interface Edge<T> {
  readonly node: T;
  cursor(): string;
}

/** A page in the form that GraphQL's default resolvers read; all but its nodes is built only when selected. */
export interface Connection<T> {
  readonly nodes: readonly T[];
  edges(): readonly Edge<T>[];
  pageInfo(): {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    startCursor(): string | null;
    endCursor(): string | null;
  };
  readonly totalCount: number | null | Error;
}

/**
 * The page that the caller requests. Throws `BAD_USER_INPUT` for a size below zero or beyond what the source serves,
 * and for a cursor that is forged or belongs to another list.
 */
export function readPage({ first, after }: PageArguments, { list, filter = null, maximum }: PageRules): Page {
  const size = first ?? Math.min(DEFAULT_SIZE, maximum);
  const query = { list, filter };
  let last: Position | null = null;
  if (after === null || after === undefined) checkFirst(size, maximum);
  else
    [, last] = together(
      () => checkFirst(size, maximum),
      () => readCursor(after, query),
    );
  return {
    offset: last === null ? 0 : last.place + 1,
    size,
    after: after ?? null,
    state: last?.state ?? null,
    cursorAt: (place, state) => writeCursor({ place, state: state ?? null }, query),
  };
}

/** Refuses a page size below zero or beyond what the source serves. */
export function checkFirst(first: PageArguments['first'], maximum: number): void {
  if ((first ?? 0) < 0) throw badUserInput('first', 'must not be negative');
  if ((first ?? 0) > maximum) throw badUserInput('first', `must be at most ${maximum} here`);
}

/** A page of a list that is there; `isWhole` if these are known to be all items. */
export function cutFrom<T>({ offset, size }: Page, all: readonly T[], isWhole: boolean): PageContent<T> {
  const items = all.slice(offset, offset + size);
  return { items, totalCount: isWhole ? all.length : null, hasNextPage: offset + items.length < all.length };
}

/** The connection of a page that was read. */
export function connectionOf<T>(page: Page, content: PageContent<T>): Connection<T> {
  const { items, totalCount } = content;
  const place = (index: number): number => content.places?.[index] ?? page.offset + index;
  const cursorAt = (at: number): string => page.cursorAt(at, content.state?.());
  return {
    nodes: items,
    edges: () => items.map((node, index) => ({ node, cursor: () => cursorAt(place(index)) })),
    pageInfo() {
      const hasNextPage =
        content.hasNextPage ?? (typeof totalCount === 'number' && page.offset + items.length < totalCount);
      // An empty page before the end needs a cursor too: after null, the next page would be the first one again.
      const emptyEnd = hasNextPage ? page.offset + page.size - 1 : null;
      const end = content.readUpTo ?? (items.length === 0 ? emptyEnd : place(items.length - 1));
      return {
        hasNextPage,
        hasPreviousPage: page.offset > 0,
        startCursor: () => (items.length === 0 ? null : cursorAt(place(0))),
        // A page of size 0 ends where it begins.
        endCursor: () => (page.size === 0 ? page.after : end === null ? null : cursorAt(end)),
      };
    },
    totalCount,
  };
}

/** What a cursor belongs to. */
type CursorQuery = Omit<PageRules, 'maximum'>;

/** What a cursor says. */
interface Position {
  readonly place: number;
  readonly state: CursorState | null;
}

/**
 * The cursor of an item: its offset in the list, a digest of list, filter, offset and state, and the state. The digest
 * is not secret; it keeps a cursor from being used where it would silently mean another item.
 */
function writeCursor(position: Position, query: CursorQuery): string {
  const { place, state } = position;
  return Buffer.from(JSON.stringify([place, digestOf(position, query), ...(state ?? [])])).toString('base64url');
}

/** The position that a cursor names. Throws `BAD_USER_INPUT` unless `writeCursor` made it for this query. */
function readCursor(cursor: string, query: CursorQuery): Position {
  const position = positionIn(cursor);
  // Compared as a whole, so that no other spelling of a cursor is accepted.
  if (position === null || writeCursor(position, query) !== cursor) {
    throw badUserInput('after', 'is not a cursor of this list with these arguments');
  }
  return position;
}

function positionIn(cursor: string): Position | null {
  try {
    const [place, _digest, ...state]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof place !== 'number' || !Number.isSafeInteger(place) || place < 0) return null;
    const known = state.map((part) => (typeof part === 'number' ? part : `${part}`));
    return { place, state: known.length === 0 ? null : known };
  } catch {
    return null;
  }
}

/** Ties a cursor to the list that it belongs to. */
function digestOf({ place, state }: Position, { list, filter }: CursorQuery): string {
  const text = state === null ? String(place) : JSON.stringify([place, ...state]);
  return hash('sha256', [list, text, canonical(filter)].join('\n'), 'base64url').slice(0, 12);
}

/** JSON with sorted object keys, without nulls and empty lists, which are no filters: equal filters give equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part)
            .filter(([, inner]) => (inner ?? null) !== null && !(Array.isArray(inner) && inner.length === 0))
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : part,
  );
}
