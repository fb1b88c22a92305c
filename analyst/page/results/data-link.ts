import { HEADER_BYTES } from '../../../kernel/bounds.js';
import { CodedError } from '../../../kernel/errors.js';
import { fold } from '../../../kernel/fold.js';
import type { Extent } from '../../../rows/extent.js';
import { fileName, type RowFormat } from '../../../rows/formats.js';
import { findLists, omittedLists, omittedNote } from '../../../rows/lists.js';
import { type ChosenColumn, readRowChoice, writeRowChoice } from '../../../rows/row-choice.js';
import { dayInParis } from '../../questions/days.js';
import { describeQuestion } from '../ask/describe.js';
import { mayHavePages } from '../lists/extent.js';
import type { ShownRows } from '../lists/loaded-list.js';
import { language, textsNow } from '../state/language.js';
import type { QueryResult } from '../state/query-result.js';
import { LINK_TEXTS } from './texts.js';

/** Bytes that a client may send besides the address: its own headers and a session's cookie. */
const OTHER_HEADERS = 1024;

/** Maximum length of a link's address, in characters, without the gateway's name. */
const MAX_ADDRESS = HEADER_BYTES - OTHER_HEADERS;

/**
 * The parameters of a link to the shown rows as CSV: columns, conditions and order, and all pages if they were followed.
 * It never contains the user's keys.
 */
export function dataLink(result: QueryResult, shown: ShownRows): URLSearchParams {
  const { list, columns, choice } = shown;
  if (choice.columns !== null && !areAll(choice.columns, list)) return linkTo(result, shown);
  const whole = linkTo(result, { list, choice: { ...choice, columns: null } });
  if (result.pages === undefined || columns.length === 0) return whole;
  // The gateway's file of all pages has a column for everything the query selects. The shown columns are therefore
  // named in the link, if that many names fit.
  const names = columns.map(({ name }) => ({ name, title: name }));
  const named = linkTo(result, { list, choice: { ...choice, columns: names } });
  return linkProblem(named) === null ? named : whole;
}

function areAll(chosen: readonly ChosenColumn[], { layout }: ShownRows['list']): boolean {
  const isSame = ({ name, title }: ChosenColumn, index: number): boolean =>
    name === layout.columns[index]?.name && title === name;
  return chosen.length === layout.columns.length && chosen.every(isSame);
}

function linkTo(
  { request: { query, variables, operationName }, pages }: QueryResult,
  { list, choice }: Pick<ShownRows, 'list' | 'choice'>,
): URLSearchParams {
  const search = new URLSearchParams({
    query,
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(operationName && { operationName }),
    path: list.path,
    format: 'csv',
    ...(pages && { pages: 'all' }),
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

/** What the user should know about the link. */
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

/** The request itself as code, by tool; never with a key. */
export const REQUEST_CODE: Readonly<Record<'curl' | 'fetch' | 'Python', (address: string, body: string) => string>> = {
  curl: (address, body) =>
    `curl ${address} \\\n  --header 'content-type: application/json' \\\n  --data-binary '${body.replaceAll("'", "'\\''")}'\n`,
  fetch: (address, body) => `const response = await fetch(${JSON.stringify(address)}, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: ${JSON.stringify(body)},
});
console.log(JSON.stringify(await response.json(), null, 2));
`,
  Python: (address, body) => `import json
from urllib.request import Request, urlopen

body = ${JSON.stringify(body)}.encode()
request = Request(${JSON.stringify(address)}, body, {"content-type": "application/json"})
print(json.dumps(json.load(urlopen(request)), indent=2))
`,
};

/** Characters of a question in a file name, which file systems limit to 255 bytes. */
const LENGTH = 100;

/**
 * The name of a file of rows: of a question what was asked, and on which day, such as
 * `missions-within-10-km-of-rouen-2026-11-27.csv`; of a query, the list's.
 */
export function questionFile(
  { asked, receivedAt }: QueryResult,
  path: string,
  { extension }: Pick<RowFormat, 'extension'>,
  isComplete: boolean,
): string {
  if (asked === undefined) return fileName(path, { extension }, isComplete);
  const words = fold(describeQuestion(asked.question)).match(/[a-z\d]+/g) ?? [];
  const name = `${words.join('-').slice(0, LENGTH)}-${dayInParis(receivedAt.getTime())}`;
  return `${name}${isComplete ? '' : '-incomplete'}.${extension}`;
}
