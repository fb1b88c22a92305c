import { CodedError } from '../../kernel/errors.js';
import { editDistance, oneValue } from '../../kernel/text.js';
import { ROW_FORMATS, type RowFormat } from '../../rows/formats.js';
import { type RowChoice, readRowChoice } from '../../rows/row-choice.js';
import type { FileProvenance } from '../../rows/row-file.js';
import { readChoices } from '../../runtime/http/negotiation.js';

/** A request for rows instead of JSON. */
export interface RowRequest {
  readonly format: RowFormat;
  /** Path of the list; undefined for the first with pages, or else the largest. */
  readonly path: string | undefined;
  /** Whether to follow all pages of the list, not only the query's own. */
  readonly allPages: boolean;
  readonly choice: RowChoice;
  /** What a workbook says about its query. */
  readonly provenance?: FileProvenance['request'];
}

/** Length of the longest parameter plus a margin: a longer name resembles none. */
const MISSPELT_LENGTH = 20;

/** Steps of a path through nested lists and objects: more than an operation can select. */
const MAX_STEPS = 200;

/** Parameters that only apply to rows. */
const OF_ROWS = ['pages', 'columns', 'where', 'order', 'distinct'] as const;

/** All parameters of a link to rows. */
const OF_LINKS: readonly string[] = [
  ...['query', 'variables', 'operationName', 'extensions', 'format', 'path'],
  ...OF_ROWS,
];

/**
 * Reads `Accept` and the parameters `format`, `path`, `pages`, `columns`, `where`, `order` and `distinct`; null if JSON
 * is requested. `format` takes precedence: a link in a spreadsheet cannot send headers. Throws `BAD_USER_INPUT` for an
 * unknown format, for misspelt and malformed parameters, and for row parameters without rows.
 */
export function readRowRequest(accept: string | undefined, search: URLSearchParams): RowRequest | null {
  const name = oneValue(search, 'format');
  const format = name === undefined ? acceptedFormat(accept) : name === 'json' ? undefined : formatNamed(name);
  if (format !== undefined) {
    refuseMisspelt(search);
    return { format, path: readListPath(search), allPages: readPages(search), choice: readRowChoice(search) };
  }
  const idle = OF_ROWS.find((parameter) => search.has(parameter));
  if (idle === undefined) return null;
  throw badInput(`\`${idle}\` applies to rows: add \`format=\` with one of ${rowNames().join(', ')}.`);
}

/**
 * A misspelt condition would silently select every row. Names that resemble no parameter are left alone: mail programs
 * and others add their own to links.
 */
function refuseMisspelt(search: URLSearchParams): void {
  for (const given of search.keys()) {
    if (given.length > MISSPELT_LENGTH || OF_LINKS.includes(given)) continue;
    const meant = OF_LINKS.find((name) => editDistance(given.toLowerCase(), name.toLowerCase()) <= name.length / 3);
    if (meant !== undefined) throw badInput(`\`${given}\` is not a parameter of a link. Did you mean \`${meant}\`?`);
  }
}

function readListPath(search: URLSearchParams): string | undefined {
  // The page's link to a response without lists has an empty path.
  const path = oneValue(search, 'path') || undefined;
  // Each step but the first follows a dot or a bracket.
  if (path !== undefined && path.split(/[.[]/, MAX_STEPS + 1).length > MAX_STEPS)
    throw badInput(`\`path\` has at most ${MAX_STEPS} steps.`);
  return path;
}

function readPages(search: URLSearchParams): boolean {
  const pages = search.getAll('pages');
  if (pages.length === 0) return false;
  if (pages.length === 1 && pages[0] === 'all') return true;
  throw badInput('`pages` takes only the value `all`.');
}

function formatNamed(name: string): RowFormat {
  const format = ROW_FORMATS.find((candidate) => candidate.name === name);
  if (format !== undefined) return format;
  throw badInput(`\`format\` is one of ${['json', ...rowNames()].join(', ')}.`);
}

function rowNames(): string[] {
  return ROW_FORMATS.map(({ name }) => name);
}

function badInput(message: string): CodedError {
  return new CodedError('BAD_USER_INPUT', message);
}

/** The row format that the client prefers; undefined if it prefers JSON or accepts no rows. */
function acceptedFormat(accept = ''): RowFormat | undefined {
  for (const { name } of readChoices(accept)) {
    const format = ROW_FORMATS.find(({ mediaType }) => mediaType === name);
    if (format !== undefined) return format;
    if (name === '*/*' || name === 'application/*' || /^application\/(graphql-response\+)?json$/.test(name)) break;
  }
  return undefined;
}
