import type { Cell } from '../../rows/columns.js';
import { numberFormat } from './format.js';

/** Digits after the decimal mark: a metre of a coordinate, a thousandth of anything else. */
const COORDINATE_DIGITS = 5;
const DIGITS = 3;

/** A cell for reading: numbers as the language writes them, without rounding noise, distances in kilometres. */
export function formatCell(cell: Cell, column: string): string {
  if (cell === null) return '';
  if (typeof cell !== 'number') return String(cell);
  // Without groups: a number may be a year or an identifier.
  const written = (digits: number): string =>
    numberFormat({ maximumFractionDigits: digits, useGrouping: false }).format(cell);
  if (/(^|[./])distance$/i.test(column)) return `${written(1)} km`;
  return written(/(^|[./])(lon|lat|longitude|latitude|coordinates)\b/i.test(column) ? COORDINATE_DIGITS : DIGITS);
}
