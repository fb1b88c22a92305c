import { readPage } from '../../rows/page-query.js';
import { readPath } from '../../rows/path.js';
import type { Table } from '../../rows/table.js';
import { formatCount } from '../elements/format.js';
import type { QueryResult } from '../responses/query-result.js';
import type { Sorting } from '../responses/sort-rows.js';

/** A link to the rows of a table, for a spreadsheet or a notebook. */
export interface DataLink {
  readonly search: URLSearchParams;
  /** What the user should know about it. */
  readonly notice: string;
}

/**
 * Creates a link to the rows of a table, with its columns and order, and with all pages if they were followed. It never
 * contains the user's keys.
 */
export function dataLink({ request, response, pages }: QueryResult, table: Table, sorting: Sorting | null): DataLink {
  const { query, variables, operationName } = request;
  const { path, columns } = table;
  const names = columns.map(({ name }) => name);
  const order = sorting === null ? undefined : names[sorting.column];
  const search = new URLSearchParams({
    query,
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(operationName && { operationName }),
    path,
    format: 'csv',
    ...(pages && { pages: 'all' }),
    // The first page may not have the columns of all pages.
    ...(pages && names.length > 0 && { columns: names.join(',') }),
    ...(order !== undefined && { order: `${sorting?.descending ? '-' : ''}${order}` }),
  });
  const words = ['Data link copied: your own keys are not in it.'];
  if (pages !== undefined) words.push('It requests all pages.');
  else if (goesOn(response.data, path)) {
    words.push(
      `It returns this page of ${formatCount([...table.rows()].length, 'row')}: follow All pages first for a link to all.`,
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
