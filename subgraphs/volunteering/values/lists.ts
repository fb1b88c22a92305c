import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
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

/** Reads a page with one call, which asks for a row more than it shows: the source may not say how many there are. */
export function readPlainPage<V>(
  { offset, size }: Page,
  fetch: (skip: number, limit: number) => Awaitable<OffsetPage<V> | null>,
  maximum: number,
): Awaitable<PageContent<Row<V>>> {
  // Never `limit=0`: it means everything in some revisions of the service and is an error in others (volunteering 3.1).
  const limit = Math.min(size + 1, maximum);
  return whenThere(fetch(offset, limit), (response) => {
    const { rows, total } = response ?? { rows: [], total: null };
    const items = rows.slice(0, size);
    const isMore = rows.length > items.length || items.length >= limit;
    const hasNextPage = typeof total === 'number' ? offset + items.length < total : isMore;
    const isNone = response !== null && offset === 0 && rows.length === 0;
    return { items, totalCount: isNone ? 0 : total, hasNextPage };
  });
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

interface Identified {
  readonly id: string | null;
}

/**
 * The rows of one type that a request has seen: entities for which the service has no route are resolved from them. They
 * are collected as they arrive, and searched only when one is looked up.
 */
export function createSeenRows<V extends Identified>() {
  const lists: (readonly Row<V>[])[] = [];
  return {
    add(rows: readonly Row<V>[]): void {
      lists.push(rows);
    },
    byId(id: string): V | null {
      for (const rows of lists) {
        const found = rows.find((row) => isView(row) && orNull(() => row.id) === id);
        if (isView(found ?? null)) return found as V;
      }
      return null;
    },
  };
}

/** The identifier of a record, non-null and unique in the graph. Throws if it is missing or empty. */
export function identifierOf(record: Identified): string {
  if (record.id !== null && record.id !== '') return record.id;
  throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'volunteering sent a record without its identifier.', {
    service: 'volunteering',
  });
}
