import { readChoices } from '../http/negotiation.js';
import { RequestError } from '../http/request-error.js';
import { ROW_FORMATS, type RowFormat } from './rows/formats.js';

/** A wish for the rows of an answer instead of its JSON. */
export interface RowRequest {
  readonly format: RowFormat;
  /** Which list; undefined for the largest. */
  readonly path: string | undefined;
}

/**
 * Reads `Accept` and the address's `format` and `path`; null for a wish for JSON. `format` wins: a link in a
 * spreadsheet cannot send a header. Throws a RequestError for a format that does not exist.
 */
export function readRowRequest(accept: string | undefined, search: URLSearchParams): RowRequest | null {
  const path = search.get('path') ?? undefined;
  const name = search.get('format');
  if (name !== null && name !== 'json') return { format: formatNamed(name), path };
  const format = name === null ? acceptedFormat(accept) : undefined;
  return format === undefined ? null : { format, path };
}

function formatNamed(name: string): RowFormat {
  const format = ROW_FORMATS.find((candidate) => candidate.name === name);
  if (format !== undefined) return format;
  const names = ['json', ...ROW_FORMATS.map((candidate) => candidate.name)].join(', ');
  throw new RequestError(400, `\`format\` is one of ${names}.`);
}

/** The form that the client likes best; undefined when it likes JSON as much or takes no rows. */
function acceptedFormat(accept = ''): RowFormat | undefined {
  for (const { name } of readChoices(accept)) {
    const format = ROW_FORMATS.find(({ mediaType }) => mediaType === name);
    if (format !== undefined) return format;
    if (name === '*/*' || name === 'application/*' || /^application\/(graphql-response\+)?json$/.test(name)) break;
  }
  return undefined;
}
