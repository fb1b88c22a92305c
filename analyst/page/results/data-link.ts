import { HEADER_BYTES } from '../../../kernel/bounds.js';
import { CodedError } from '../../../kernel/errors.js';
import { isEmptyCell } from '../../../rows/cells.js';
import type { Extent } from '../../../rows/extent.js';
import { type LayoutRow, type PlacedColumn, ROWS_OF_A_STEP } from '../../../rows/layout.js';
import { findLists, omittedLists, omittedNote } from '../../../rows/lists.js';
import { type ChosenColumn, readRowChoice, writeRowChoice } from '../../../rows/row-choice.js';
import type { Steps } from '../../../rows/steps.js';
import { mayHavePages } from '../lists/extent.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { language, textsNow } from '../state/language.js';
import type { QueryResult } from '../state/query-result.js';
import { LINK_TEXTS } from './texts.js';

/** What a link requests besides the shown rows. */
export interface LinkOptions {
  readonly format: string;
  /** Whether it requests all pages of the list, or only this one. */
  readonly allPages: boolean;
}

/** The usual link: CSV, with all pages if they were followed. */
export function usualLink({ pages }: Pick<QueryResult, 'pages'>): LinkOptions {
  return { format: 'csv', allPages: pages !== undefined };
}

/** Bytes that a client may send besides the address: its own headers and a session's cookie. */
const OTHER_HEADERS = 1024;

/** Maximum length of a link's address, in characters, without the gateway's name. */
const MAX_ADDRESS = HEADER_BYTES - OTHER_HEADERS;

/** The parameters of a link to the shown rows: columns, conditions and order. It never contains the user's keys. */
export function dataLink(result: QueryResult, shown: ShownRows, options: LinkOptions): URLSearchParams {
  const { list, columns, choice } = shown;
  if (choice.columns !== null && !areAll(choice.columns, list)) return linkTo(result, shown, options);
  const whole = linkTo(result, { list, choice: { ...choice, columns: null } }, options);
  if (result.pages === undefined || columns.length === 0) return whole;
  // The gateway's file of all pages has a column for everything the query selects. The shown columns are therefore
  // named in the link, if that many names fit.
  const names = columns.map(({ name }) => ({ name, title: name }));
  const named = linkTo(result, { list, choice: { ...choice, columns: names } }, options);
  return linkProblem(named) === null ? named : whole;
}

function areAll(chosen: readonly ChosenColumn[], { layout }: ShownRows['list']): boolean {
  const isSame = ({ name, title }: ChosenColumn, index: number): boolean =>
    name === layout.columns[index]?.name && title === name;
  return chosen.length === layout.columns.length && chosen.every(isSame);
}

function linkTo(
  { request: { query, variables, operationName } }: QueryResult,
  { list, choice }: Pick<ShownRows, 'list' | 'choice'>,
  { format, allPages }: LinkOptions,
): URLSearchParams {
  const search = new URLSearchParams({
    query,
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(operationName && { operationName }),
    path: list.path,
    format,
    ...(allPages && { pages: 'all' }),
  });
  for (const [name, value] of writeRowChoice(choice)) search.append(name, value);
  return search;
}

/** Why the gateway would refuse a link; null if it would not. */
export function linkProblem(search: URLSearchParams): string | null {
  const texts = textsNow(LINK_TEXTS);
  const characters = `/graphql?${search}`.length;
  if (characters > MAX_ADDRESS) return texts.tooLong(characters, MAX_ADDRESS);
  try {
    readRowChoice(search);
    return null;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return texts.refused(error.message);
  }
}

/** What the user should know about the usual link. */
export function describeLink({ pages }: QueryResult, { list }: ShownRows, extent: Extent): string {
  const texts = textsNow(LINK_TEXTS);
  if (pages !== undefined) return `${texts.linkCopied} ${texts.requestsAll}`;
  if (!mayHavePages(extent)) return texts.linkCopied;
  return `${texts.linkCopied} ${extent.kind === 'page' ? texts.onePage(list.rows.length) : texts.mayBeOnePage}`;
}

/** The lists that have no columns in the file; null if there are none. */
export function describeOmitted({ list: { data, path } }: Pick<ShownRows, 'list'>): string | null {
  return omittedNote(omittedLists(findLists(data), { path, isNamed: true }), language.get());
}

/**
 * Titles of the columns whose texts are digits, such as postal codes, in steps: tools would take them for numbers. Only
 * the last row may have one. With all pages, a column that is empty so far may turn out to be codes.
 */
export function* codeSteps(
  { list, columns, rows }: ShownRows,
  { allPages }: Pick<LinkOptions, 'allPages'>,
): Steps<readonly string[]> {
  const read = allPages ? list.rows : rows.map(({ of }) => of);
  const codes: string[] = [];
  for (const column of columns) if (yield* mayHaveCodes(column, read, allPages)) codes.push(column.name);
  return codes;
}

function* mayHaveCodes(column: PlacedColumn, rows: readonly LayoutRow[], allPages: boolean): Steps<boolean> {
  let isEmpty = true;
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const cell = row.cell(column);
    if (typeof cell === 'string' && /^\d+$/.test(cell)) return true;
    isEmpty &&= isEmptyCell(cell);
  }
  return allPages && isEmpty;
}
