import { isRecord } from '../../../kernel/text.js';
import { list, type Origin, object, type Shape, wrongType } from '../../rest/shape.js';

/** A page of a list that the source serves by `page_index` and `page_size` (work-study 7.8 and 7.13). */
export interface SourcePage<V> {
  readonly items: readonly (V | null)[];
  /** Whether the source says that pages follow. */
  readonly hasNext: boolean;
}

/** Largest `page_size` of the source (work-study 7.8 and 7.13). */
export const MAX_PAGE_SIZE = 1000;

/** Query parameters of one page. */
export function pageQuery(pageIndex: number, pageSize: number): [string, string][] {
  return [
    ['page_size', String(pageSize)],
    ['page_index', String(pageIndex)],
  ];
}

/** The page in a response `{ data, pagination }`. Without a readable page count, assumes that more follow any items. */
export function parsePage<V>(of: Shape<V>, json: unknown, origin: Origin): SourcePage<V> {
  if (!isRecord(json)) throw wrongType('an object', `${of.name} page`, origin);
  const items = parseList(of, json['data'], origin);
  const { page_count: count, page_index: index } = isRecord(json['pagination']) ? json['pagination'] : {};
  if (typeof count === 'number' && typeof index === 'number') return { items, hasNext: index + 1 < count };
  origin.drift(`${of.name} page.pagination`, 'form');
  return { items, hasNext: items.length > 0 };
}

/** An empty page, for one that was not requested or not found. */
export const NO_PAGE: SourcePage<never> = { items: [], hasNext: false };

/** Consecutive items of the whole list. */
export interface Stretch {
  readonly offset: number;
  readonly size: number;
}

/**
 * Reads a stretch of the list from the pages that cover it: one page if it starts at a page boundary, as it does while
 * callers do not change their page size, else two. For size 0 the next item is read, to find out whether pages follow.
 */
export function readStretch<V>(
  { offset, size }: Stretch,
  readPage: (pageIndex: number, pageSize: number) => PromiseLike<SourcePage<V>>,
): PromiseLike<SourcePage<V>> {
  if (size === 0) {
    return readPage(offset, 1).then(({ items }) => ({ items: [], hasNext: items.length > 0 }));
  }
  const skipped = offset % size;
  const index = (offset - skipped) / size;
  return readPage(index, size).then((first) => {
    if (skipped === 0 || !first.hasNext) return { items: first.items.slice(skipped), hasNext: first.hasNext };
    return readPage(index + 1, size).then((second) => ({
      items: [...first.items.slice(skipped), ...second.items.slice(0, skipped)],
      hasNext: second.hasNext || second.items.length > skipped,
    }));
  });
}

/**
 * The objects of a response that is a list. An item that is not an object is an error at its own index, for GraphQL to
 * report there. Throws `UPSTREAM_INVALID_RESPONSE` when the response is not a list.
 */
export function parseList<V>(of: Shape<V>, json: unknown, origin: Origin): (V | null)[] {
  const place = `${of.name}[]`;
  if (!Array.isArray(json)) throw wrongType('a list', place, origin);
  return list(object(of)).read(json, place, origin);
}

/** Like `parseList`, but throws for an empty list, which would be served to everybody for as long as it is cached. */
export function parseWholeList<V>(of: Shape<V>, json: unknown, origin: Origin): (V | null)[] {
  const items = parseList(of, json, origin);
  if (items.length === 0) throw wrongType('a list with items', `${of.name}[]`, origin);
  return items;
}

/** The readable items of a parsed list: an error in one item does not matter when another is looked up. */
export function readableItems<V>(items: readonly (V | null)[]): V[] {
  return items.filter((item): item is NonNullable<typeof item> => item !== null && !(item instanceof Error)) as V[];
}
