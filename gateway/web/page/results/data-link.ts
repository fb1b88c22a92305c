import { readPage } from '../../rows/page-query.js';
import { readPath } from '../../rows/path.js';
import { writeRowChoice } from '../../rows/row-choice.js';
import { textsNow } from '../language/texts.js';
import type { ShownRows } from '../lists/shown-rows.js';
import type { QueryResult } from '../responses/query-result.js';
import { LINK_TEXTS } from './link-texts.js';

/** What a link asks for besides the shown rows. */
export interface LinkOptions {
  readonly format: string;
  /** Whether it asks for all pages of the list, or for this one. */
  readonly allPages: boolean;
}

/** The usual link: CSV, with all pages if they were followed. */
export function usualLink({ pages }: Pick<QueryResult, 'pages'>): LinkOptions {
  return { format: 'csv', allPages: pages !== undefined };
}

/** The parameters of a link to the shown rows: their columns, conditions and order. It never contains the user's keys. */
export function dataLink(
  { request, pages }: QueryResult,
  { list, columns, choice }: ShownRows,
  { format, allPages }: LinkOptions,
): URLSearchParams {
  const { query, variables, operationName } = request;
  const names = columns.map(({ name }) => ({ name, title: name }));
  const search = new URLSearchParams({
    query,
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(operationName && { operationName }),
    path: list.path,
    format,
    ...(allPages && { pages: 'all' }),
  });
  // The first page may not have the columns of all pages.
  const chosen = choice.columns ?? (pages !== undefined && names.length > 0 ? names : null);
  for (const [name, value] of writeRowChoice({ ...choice, columns: chosen })) search.append(name, value);
  return search;
}

/** What the user should know about the usual link. */
export function describeLink({ response, pages }: QueryResult, { list }: ShownRows): string {
  const texts = textsNow(LINK_TEXTS);
  if (pages !== undefined) return `${texts.linkCopied} ${texts.requestsAll}`;
  if (!goesOn(response.data, list.path)) return texts.linkCopied;
  return `${texts.linkCopied} ${texts.onePage(list.rows.length)}`;
}

/** Whether the list has pages beyond this one. */
export function goesOn(data: QueryResult['response']['data'], path: string): boolean {
  const keys = readPath(path).flatMap((step) => ('key' in step ? [step.key] : []));
  const list = keys.at(-1);
  if (list !== 'nodes' && list !== 'edges') return false;
  const page = readPage(data, { connection: keys.slice(0, -1), list });
  return page !== null && !page.isLast && (page.endCursor !== null || (page.totalCount ?? 0) > page.rows.length);
}

/** Rows whose cells are looked at. */
const SAMPLE = 300;

/** Titles of the columns whose texts are digits, such as postal codes: tools would take them for numbers. */
export function codesOf({ columns, rows }: ShownRows): string[] {
  const sample = rows.slice(0, SAMPLE).map((row) => row.cells());
  return columns.flatMap(({ name }, index) => {
    const isCode = sample.some((cells) => typeof cells[index] === 'string' && /^\d+$/.test(cells[index]));
    return isCode ? [name] : [];
  });
}
