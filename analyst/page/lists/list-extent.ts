import { type GraphQLSchema, parse } from 'graphql';
import { type Extent, extentOf, type ListLimit, limitsOf, limitsOfPath } from '../../../rows/extent.js';
import type { GraphqlRequest, QueryResult } from '../responses/query-result.js';

/** How much of a list a response has; without the graph, as far as query and response tell. */
export function extentOfList(
  { request, response: { data, errors = [] } }: Pick<QueryResult, 'request' | 'response'>,
  path: string,
  schema: GraphQLSchema | null,
): Extent {
  return extentOf({ data, errors }, path, limitsIn(request, path, schema));
}

function limitsIn(
  { query, operationName, variables }: GraphqlRequest,
  path: string,
  schema: GraphQLSchema | null,
): ListLimit[] {
  try {
    return limitsOf({ document: parse(query), operationName, variables }, path, schema);
  } catch {
    return limitsOfPath(path);
  }
}

/** Whether pages of the list at `path` follow, or may follow, those of the response, and a query can request them. */
export function mayHavePages(extent: Extent): boolean {
  if (extent.kind === 'page') return true;
  const isOutermost = extent.kind === 'unknown' && extent.list.split('[]').length === 2;
  return isOutermost && extent.lacks?.includes('pageInfo') === true;
}
