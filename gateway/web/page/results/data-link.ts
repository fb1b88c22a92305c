import { readPage } from '../../rows/page-query.js';
import { readPath } from '../../rows/path.js';
import { writeRowChoice } from '../../rows/row-choice.js';
import { formatCount } from '../elements/format.js';
import type { ShownRows } from '../lists/shown-rows.js';
import type { QueryResult } from '../responses/query-result.js';

/** A link to the rows of a table, for a spreadsheet or a notebook. */
export interface DataLink {
  readonly search: URLSearchParams;
  /** What the user should know about it. */
  readonly notice: string;
}

/**
 * Creates a link to the shown rows: their columns, conditions and order, and all pages if they were followed. It never
 * contains the user's keys.
 */
export function dataLink({ request, response, pages }: QueryResult, { list, columns, choice }: ShownRows): DataLink {
  const { query, variables, operationName } = request;
  const { path } = list;
  const names = columns.map(({ name }) => ({ name, title: name }));
  const search = new URLSearchParams({
    query,
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(operationName && { operationName }),
    path,
    format: 'csv',
    ...(pages && { pages: 'all' }),
  });
  // The first page may not have the columns of all pages.
  const chosen = choice.columns ?? (pages !== undefined && names.length > 0 ? names : null);
  for (const [name, value] of writeRowChoice({ ...choice, columns: chosen })) search.append(name, value);
  const words = ['Data link copied: your own keys are not in it.'];
  if (pages !== undefined) words.push('It requests all pages.');
  else if (goesOn(response.data, path)) {
    words.push(
      `It returns this page of ${formatCount(list.rows.length, 'row')}: follow All pages first for a link to all.`,
    );
  }
  return { search, notice: words.join(' ') };
}

function goesOn(data: QueryResult['response']['data'], path: string): boolean {
  const keys = readPath(path).flatMap((step) => ('key' in step ? [step.key] : []));
  const list = keys.at(-1);
  if (list !== 'nodes' && list !== 'edges') return false;
  const page = readPage(data, { connection: keys.slice(0, -1), list });
  return page !== null && !page.isLast && (page.endCursor !== null || (page.totalCount ?? 0) > page.rows.length);
}
