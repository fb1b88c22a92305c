import { type GraphQLSchema, parse } from 'graphql';
import { countsOf, limitsOf, objectsAt } from '../../../rows/extent.js';
import { type PagedQuery, readPage, toPagedQuery } from '../../../rows/page-query.js';
import { isList, isObject, type JsonObject, readPath, type Step } from '../../../rows/path.js';
import { textsNow } from '../state/language.js';
import type { QueryResult } from '../state/query-result.js';
import { PAGING_TEXTS } from './texts.js';

/** Whether the further pages of a list can be followed. */
type Paging =
  | { readonly kind: 'can'; readonly paged: PagedQuery }
  /** Why not, and the query that would make it possible, if there is one. */
  | { readonly kind: 'cannot'; readonly why: string; readonly mended?: string };

/**
 * How to follow the pages of a list; null if there are no further ones, or it is not a connection. With the graph, each
 * page reports how many rows there are.
 */
export function pagingOf(
  { request, response, pages }: QueryResult,
  path: string,
  schema: GraphQLSchema | null = null,
): Paging | null {
  const steps = readPath(path);
  const connection = steps.slice(0, -2);
  const list = steps.at(-2);
  if (list === undefined || !('key' in list) || !/^(nodes|edges)$/.test(list.key) || response.data == null) return null;
  const connections = [...objectsAt(response.data, connection)];
  if (!connections.some(([object]) => hasFurtherPage(object))) return null;
  const texts = textsNow(PAGING_TEXTS);
  const outer = connection.findLastIndex((step) => 'each' in step);
  if (outer >= 0)
    return { kind: 'cannot', why: describeNested(connection.slice(0, outer), connection.slice(outer + 1)) };
  const document = parse(request.query);
  const counts = countsOf(limitsOf({ ...request, document }, path, schema));
  const paged = toPagedQuery(document, request.operationName ?? undefined, path, counts);
  if (paged === null) return { kind: 'cannot', why: texts.onlyQueries };
  if (readPage(response.data, paged)?.endCursor != null) return { kind: 'can', paged };
  if (pages !== undefined) return { kind: 'cannot', why: texts.withinPage };
  return { kind: 'cannot', why: texts.noPageInfo(END, list.key), mended: paged.query };
}

const END = 'pageInfo { hasNextPage endCursor }';

/** Whether a connection reports a next page, or counts more rows than it lists. */
function hasFurtherPage({ pageInfo, totalCount, nodes, edges }: JsonObject): boolean {
  if (isObject(pageInfo) && typeof pageInfo['hasNextPage'] === 'boolean') return pageInfo['hasNextPage'];
  const rows = isList(nodes) ? nodes : edges;
  return isList(rows) && rows.length > 0 && (typeof totalCount !== 'number' || totalCount > rows.length);
}

function describeNested(outer: readonly Step[], inner: readonly Step[]): string {
  const [parents, field] = [outer, inner].map((steps) => steps.flatMap((step) => ('key' in step ? [step.key] : [])));
  return textsNow(PAGING_TEXTS).nested(parents?.join('.') ?? '', field?.join('.') ?? '');
}

/** The estimated cost of further pages. */
interface Forecast {
  /** Further pages up to the cap; null if the source does not report how many rows there are. */
  readonly pages: number | null;
  /** Upstream calls per page and service, as if nothing were cached. */
  readonly callsPerPage: { readonly service: string; readonly calls: number }[];
}

/** Estimates the cost of further pages from the current one. */
export function forecast(result: QueryResult, paged: PagedQuery, cap: number): Forecast {
  const page = readPage(result.response.data, paged);
  const size = page?.rows.length ?? 0;
  const left = page?.totalCount == null ? null : Math.min(page.totalCount, cap) - size;
  const calls = new Map<string, number>();
  for (const { service, cache } of result.trace?.calls ?? []) {
    // A coalesced part makes no call of its own.
    if (cache !== 'COALESCED') calls.set(service, (calls.get(service) ?? 0) + 1);
  }
  return {
    pages: left === null || size === 0 ? null : Math.max(0, Math.ceil(left / size)),
    callsPerPage: [...calls].map(([service, count]) => ({ service, calls: count })),
  };
}
