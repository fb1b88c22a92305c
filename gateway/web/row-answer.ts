import { Readable } from 'node:stream';
import { RequestError } from '../http/request-error.js';
import type { RowRequest } from './row-request.js';
import { fileName } from './rows/formats.js';
import { chooseList } from './rows/lists.js';
import type { JsonObject } from './rows/path.js';
import { readTable, type Table } from './rows/table.js';

/** The rows of an answer, on their way out. */
export interface RowAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Whether compressing it again would be in vain. */
  readonly isPacked: boolean;
}

/**
 * The list of an answer that was asked for, written while it is sent. Fields that failed are empty cells, and
 * `x-passerelle-errors` says how many errors there were. Null when errors left nothing at all: an empty file would say
 * that there is nothing. Throws a RequestError for a list that the query does not have.
 */
export function answerRows(data: object, errors: number, { format, path }: RowRequest): RowAnswer | null {
  const object = data as JsonObject;
  const choice = chooseList(object, path);
  if ('unknown' in choice) throw unknownList(choice.known);
  const table = readTable(object, choice.path);
  if (errors > 0 && !holdsAnything(table)) return null;
  const charset = format.mediaType === 'text/csv' ? '; charset=utf-8; header=present' : '';
  return {
    headers: {
      'content-type': `${format.mediaType}${charset}`,
      'content-disposition': `attachment; filename="${fileName(choice.path, format)}"`,
      'x-content-type-options': 'nosniff',
      'x-passerelle-errors': String(errors),
    },
    body: Readable.from(bytes(format.write(table)), { objectMode: false }),
    isPacked: format.isPacked,
  };
}

function holdsAnything(table: Table): boolean {
  for (const row of table.rows()) if (row.cells().some((cell) => cell !== null)) return true;
  return false;
}

function* bytes(parts: Iterable<string | Uint8Array>): Generator<Uint8Array> {
  for (const part of parts) {
    const chunk = Buffer.from(part);
    if (chunk.length > 0) yield chunk;
  }
}

function unknownList(known: readonly string[]): RequestError {
  const lists = known.length === 0 ? 'It has none.' : `It has ${known.slice(0, 20).join(', ')}.`;
  return new RequestError(400, `\`path\` names no list of this answer. ${lists}`);
}
