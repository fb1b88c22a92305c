import { type GraphQLSchema, parse } from 'graphql';
import { countsOf, limitsOf, objectsAt } from '../../../rows/extent.js';
import { type PagedQuery, readPage, toPagedQuery } from '../../../rows/page-query.js';
import { isList, isObject, type JsonObject, readPath, type Step } from '../../../rows/path.js';
import { textsNow } from '../state/language.js';
import type { GraphqlRequest, QueryResult } from '../state/query-result.js';
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

/** The request of the page after the current one. */
export function nextPageOf({ request }: QueryResult, { query, variable }: PagedQuery, after: string): GraphqlRequest {
  return { ...request, query, variables: { ...request.variables, [variable]: after } };
}

/** How many further pages there are up to the cap; null if the source does not report how many rows there are. */
export function furtherPages({ response }: QueryResult, paged: PagedQuery, cap: number): number | null {
  const page = readPage(response.data, paged);
  if (page === null || page.totalCount === null || page.rows.length === 0) return null;
  return Math.max(0, Math.ceil(Math.min(page.totalCount, cap) / page.rows.length) - 1);
}
