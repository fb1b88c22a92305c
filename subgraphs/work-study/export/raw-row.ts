/** Rows of the export as the service writes them. What is missing or of another type reads as empty. */

import { instantOf } from '../../../kernel/dates.js';
import { isRecord } from '../../../kernel/text.js';

/** Bytes of a row that is read; real ones have 2 kB, and reading longer ones would hold up everybody else. */
export const MAX_ROW_BYTES = 64 * 1024;

/** A row, or a part of one. */
export type RawRow = Readonly<Record<string, unknown>>;

/** The row of a text; null if it is not an object in JSON. */
export function parseRawRow(json: string): RawRow | null {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const NOTHING: RawRow = {};

/** The object under a name. */
export function partOf(record: RawRow, name: string): RawRow {
  const part = record[name];
  return isRecord(part) ? part : NOTHING;
}

/** A text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A moment in milliseconds since 1970; NaN for none. */
export function timeOf(value: unknown): number {
  return typeof value === 'string' ? instantOf(value) : Number.NaN;
}
