import { readPage } from '../../rows/page-query.js';
import { readPath } from '../../rows/path.js';
import type { Table } from '../../rows/table.js';
import type { Asked } from '../answers/asked.js';
import type { Sorting } from '../answers/sort-rows.js';
import { sayCount } from '../elements/say.js';

/** A link to the rows of a table, for a spreadsheet or a notebook. */
export interface DataLink {
  readonly search: URLSearchParams;
  /** What to know of it. */
  readonly said: string;
}

/**
 * The rows that the table has, in its columns and its order: those of all pages when they were followed. Keys of one's
 * own are not in it.
 */
export function dataLink({ question, answer, pages }: Asked, table: Table, sorting: Sorting | null): DataLink {
  const { query, variables, operationName } = question;
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
    // The columns of all pages cannot be read off the first one.
    ...(pages && names.length > 0 && { columns: names.join(',') }),
    ...(order !== undefined && { order: `${sorting?.descending ? '-' : ''}${order}` }),
  });
  const words = ['Data link copied: your own keys are not in it.'];
  if (pages !== undefined) words.push('It requests all pages.');
  else if (goesOn(answer.data, path)) {
    words.push(
      `It gives this page of ${sayCount([...table.rows()].length, 'row')}: follow All pages first for a link to all.`,
    );
  }
  return { search, said: words.join(' ') };
}

function goesOn(data: Asked['answer']['data'], path: string): boolean {
  const keys = readPath(path).flatMap((step) => ('key' in step ? [step.key] : []));
  const list = keys.at(-1);
  if (list !== 'nodes' && list !== 'edges') return false;
  const page = readPage(data, { connection: keys.slice(0, -1), list });
  return page !== null && !page.isLast && (page.endCursor !== null || (page.totalCount ?? 0) > page.rows.length);
}
