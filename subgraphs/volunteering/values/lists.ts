import { ready } from '../../../kernel/cached-values.js';
import { CodedError } from '../../../kernel/errors.js';
import { isRecord } from '../../../kernel/text.js';
import type { Page, PageContent } from '../../graph/connection.js';
import { orNull } from '../../rest/shape.js';

/** The price of a field that makes one call. All calls of a key fall under one counter. */
export const ONE_CALL = { scope: 'all routes' } as const;
/** The price of a field that counts what has been read. */
export const NO_CALL = { ...ONE_CALL, calls: 0 } as const;

/** Query parameters in the order they are sent. */
export type QueryParameters = readonly (readonly [name: string, value: string])[];

/** Parameters that say which rows of a list are wanted, and not of which list. */
const PAGING = new Set(['skip', 'from', 'limit', 'size']);

/** Whether a list is asked for as a whole. */
export function isUnfiltered(query: QueryParameters = []): boolean {
  return query.every(([name]) => PAGING.has(name));
}

/** A request's parameters. */
export interface Queried {
  readonly query?: QueryParameters;
}

/** A list request: filters in the service's vocabulary, and the rows wanted. */
export interface ListQuery {
  readonly filter: QueryParameters;
  readonly skip: number;
  readonly limit: number;
  /** Whether it is part of a count, or of a walk of a whole list. */
  readonly bulk?: boolean;
}

/** The parameters of a list request. */
export function listQuery({ filter, skip, limit }: ListQuery): QueryParameters {
  const offset: QueryParameters = skip === 0 ? [] : [['skip', String(skip)]];
  return [...filter, ...offset, ['limit', String(limit)]];
}

/** A row of a list: a view, null where the source sent null, or the error of a row that is not an object. */
export type Row<V> = V | null | CodedError;

/** One response from a list that is paged by offset. */
export interface OffsetPage<V> {
  readonly rows: readonly Row<V>[];
  /** How many rows the whole list has; null if the source does not say, an error if its count is malformed. */
  readonly total: number | null | CodedError;
}

/** A list that is paged by offset. */
export interface OffsetSource<V, A extends OffsetPage<V>> {
  fetch(skip: number, limit: number): PromiseLike<A | null>;
  /** Largest page that the source serves. */
  readonly maximum: number;
  /** Offset at which the source cuts the list off. */
  readonly ceiling?: number;
  /** Whether to request one row more than is shown, for a source that may not report a total. */
  readonly lookAhead?: boolean;
}

/** A page that was read, and the response it came from, or the first of several. */
export interface ReadPage<V, A> {
  readonly content: PageContent<Row<V>>;
  readonly response: A | null;
}

const EMPTY = { rows: [], total: null } as const;

/** Reads the rows of a page with one call. */
export function readPlainPage<V, A extends OffsetPage<V>>(
  { offset, size }: Page,
  source: OffsetSource<V, A>,
): PromiseLike<ReadPage<V, A>> {
  const { maximum, ceiling = Number.POSITIVE_INFINITY, lookAhead = false } = source;
  const room = Math.max(0, ceiling - offset);
  // Never `limit=0`: it means everything in some revisions of the service and is an error in others (volunteering 3.1).
  const limit = Math.min(Math.max(1, lookAhead ? size + 1 : size), maximum, room);
  return (limit === 0 ? ready(null) : source.fetch(offset, limit)).then((response) => {
    const { rows, total } = response ?? EMPTY;
    const items = rows.slice(0, Math.min(size, room));
    const end = offset + items.length;
    const hasNextPage =
      typeof total === 'number'
        ? end < Math.min(total, ceiling)
        : end < ceiling && (rows.length > items.length || items.length >= limit);
    return { content: { items, totalCount: total, hasNextPage }, response };
  });
}

/**
 * The rows that were read for one page in several calls. A source may ignore where a call begins, or move rows from one
 * to the next: a row is shown once, and where all rows of a call are known, none of a further one is new.
 */
export class ReadRows<V> {
  readonly #known = new Set<string>();
  readonly #idOf: (row: V) => string | null;

  constructor(idOf: (row: V) => string | null) {
    this.#idOf = idOf;
  }

  /** The rows of a further call, with null for those of earlier ones; null if there are no others. */
  add(rows: readonly Row<V>[]): readonly Row<V>[] | null {
    const ids = rows.map((row) => (isView(row) ? this.#idOf(row) : null));
    const isKnown = ids.map((id) => id !== null && this.#known.has(id));
    for (const id of ids) if (id !== null) this.#known.add(id);
    if (rows.length > 0 && isKnown.every(Boolean)) return null;
    return rows.map((row, index) => (isKnown[index] === true ? null : row));
  }
}

/**
 * A response without rows beyond those requested: they would not be shown, and reading a million would take seconds.
 */
export function withoutSurplus(json: unknown, list: string, query: QueryParameters = []): unknown {
  if (!isRecord(json)) return json;
  const rows = json[list];
  const limit = Number(query.find(([name]) => name === 'limit')?.[1]);
  return Array.isArray(rows) && rows.length > limit ? { ...json, [list]: rows.slice(0, limit) } : json;
}

/** Whether a row is there and readable. */
export function isView<V>(row: Row<V>): row is V & NonNullable<unknown> {
  return row !== null && !(row instanceof Error);
}

/** What `read` returns, or the coded error of a malformed count, so that the rows beside it remain valid. */
export function readTotal(read: () => number | null): number | null | CodedError {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/** The rows of one type that a request has seen. Entities for which the service has no route are resolved from them. */
export interface SeenRows<V> {
  add(rows: readonly Row<V>[]): void;
  byId(id: string): V | null;
}

/** Collects rows as they arrive, and searches them only when one is looked up. */
export function createSeenRows<V extends { readonly id: string | null }>(): SeenRows<V> {
  const lists: (readonly Row<V>[])[] = [];
  return {
    add: (rows) => {
      lists.push(rows);
    },
    byId: (id) => {
      for (const rows of lists) {
        const found = rows.find((row) => isView(row) && orNull(() => row.id) === id);
        if (isView(found ?? null)) return found as V;
      }
      return null;
    },
  };
}

/** The identifier of a record, non-null and unique in the graph. Throws if it is missing or empty. */
export function identifierOf(record: { readonly id: string | null }): string {
  if (record.id !== null && record.id !== '') return record.id;
  throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'volunteering sent a record without its identifier.', {
    service: 'volunteering',
  });
}
