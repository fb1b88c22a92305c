import type { Cell } from '../../../rows/cells.js';
import { numberFormat } from './format.js';

/** Digits after the decimal mark: a metre of a coordinate, a thousandth of anything else. */
const COORDINATE_DIGITS = 5;
const DIGITS = 3;
/** Smaller numbers are written with an exponent. */
const SMALL = 1e-6;

/** A cell for reading: numbers as the language writes them, without rounding noise, distances in kilometres. */
export function formatCell(cell: Cell, column: string): string {
  if (cell === null) return '';
  if (typeof cell !== 'number') return String(cell);
  // Without digit grouping, since a number may be a year or an identifier.
  const written = (digits: number): string =>
    numberFormat({ maximumFractionDigits: digits, useGrouping: false }).format(cell);
  if (/(^|[./])distance$/i.test(column)) return `${written(1)} km`;
  const digits = /(^|[./])(lon|lat|longitude|latitude|coordinates)\b/i.test(column) ? COORDINATE_DIGITS : DIGITS;
  return cell !== 0 && Math.abs(cell) < 0.5 * 10 ** -digits ? writeTiny(cell) : written(digits);
}

/** A number that would be rounded to zero. */
function writeTiny(value: number): string {
  const notation = Math.abs(value) < SMALL ? 'scientific' : 'standard';
  return numberFormat({ maximumSignificantDigits: 3, notation }).format(value);
}
