import { type GraphQLSchema, parse } from 'graphql';
import { useMemo } from 'react';
import { type Extent, extentOf, type ListLimit, limitsOf, limitsOfPath } from '../../../rows/extent.js';
import type { RowChoice } from '../../../rows/row-choice.js';
import { type AboutLine, aboutLines } from '../../../rows/row-file.js';
import { describeQuestion } from '../ask/describe.js';
import { language, textsNow } from '../state/language.js';
import { usePage } from '../state/page-state.js';
import { type GraphqlRequest, type QueryResult, servicesOf } from '../state/query-result.js';
import { EXTENT_TEXTS } from './texts.js';

/** How much of a list a response has. */
export function useExtent(result: QueryResult, path: string): Extent {
  const schema = usePage(({ schema }) => schema);
  return useMemo(() => extentOfList(result, path, schema), [result, path, schema]);
}

/** What stands beside a number of rows: that they are the whole list, or why not. */
export function sayExtent(extent: Extent, path: string): string {
  const texts = textsNow(EXTENT_TEXTS);
  return texts.reason(extent, path) ?? texts.whole;
}

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

/** Where the shown rows come from, line by line, for a file of them or of their counts. */
export function provenanceOf(result: QueryResult, path: string, choice: RowChoice): AboutLine[] {
  const { request, response, trace, asked } = result;
  const lines = aboutLines({
    request,
    writtenAt: new Date(),
    path,
    choice,
    services: servicesOf(result),
    stored: trace?.stored ?? [],
    calls: trace?.totals.callsMade ?? null,
    errors: response.errors?.length ?? 0,
    language: language.get(),
  });
  return asked ? [[textsNow(EXTENT_TEXTS).question, describeQuestion(asked.question)], ...lines] : lines;
}

/** Why the rows of a list are not all of it, or may not be; null if they are. */
export function whyPartial({ pages }: Pick<QueryResult, 'pages'>, path: string, extent: Extent): string | null {
  const texts = textsNow(EXTENT_TEXTS);
  if (pages === undefined || pages.end === 'all' || extent.kind !== 'page' || extent.list !== pages.list) {
    return texts.reason(extent, path);
  }
  return pages.end === 'failed' ? (pages.message ?? texts.failed) : texts[pages.end];
}
