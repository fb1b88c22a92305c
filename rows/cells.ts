import { type IsoDate, readDate } from '../kernel/dates.js';
import { isList, isObject, type Json } from './path.js';

/** The value of a table cell. */
export type Cell = string | number | boolean | null;

/** Whether a cell shows nothing. */
export function isEmptyCell(cell: Cell): cell is null | '' {
  return cell === null || cell === '';
}

/** French collation that ignores case and accents, and compares numbers in text by value. */
export const FRENCH = new Intl.Collator('fr', { numeric: true, sensitivity: 'base' });

/** What a row is sorted by: a cell, or the date in it. */
export type SortKey = Cell | IsoDate;

/** The sort key of a cell, computed once, since a comparator is called many times per row. */
export function sortKeyOf(cell: Cell): SortKey {
  return typeof cell === 'string' ? (readDate(cell) ?? cell) : cell;
}

/**
 * A comparator for sorting: numbers by value, text by French collation. Dates are sorted by their instants, a day by
 * its midnight in UTC, and come before anything else; empty cells, including empty texts, are always last.
 */
export function compareInOrder(one: SortKey, other: SortKey, descending: boolean): number {
  if (isDate(one) && isDate(other)) return descending ? other.ms - one.ms : one.ms - other.ms;
  if (isDate(one)) return -1;
  if (isDate(other)) return 1;
  if (isEmptyCell(one) || isEmptyCell(other)) return Number(isEmptyCell(one)) - Number(isEmptyCell(other));
  return descending ? -compareCells(one, other) : compareCells(one, other);
}

function isDate(key: SortKey): key is IsoDate {
  return typeof key === 'object' && key !== null;
}

/** Compares two cells: negative if the first is less. */
export function compareCells(one: NonNullable<Cell>, other: NonNullable<Cell>): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return FRENCH.compare(String(one), String(other));
}

/** Compares two dates: negative if the first is earlier. If either has no time, the days as written decide. */
export function compareDates(one: IsoDate, other: IsoDate): number {
  if (one.hasTime && other.hasTime) return one.ms - other.ms;
  return Number(one.day > other.day) - Number(one.day < other.day);
}

/** Whether a cell shows nothing because there is nothing: a null, an empty text or an empty list. */
export function isEmptyValue(value: Json | undefined): boolean {
  if (isObject(value) || (isList(value) && value.some(isObject))) return false;
  return isEmptyCell(cellOf(value));
}

/** Between the items of a list in a cell. */
export const ITEMS = ' | ';

/** A value as a cell: a list of values is joined, anything deeper is JSON. */
export function cellOf(value: Json | undefined): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value;
  if (!isList(value)) return null;
  if (value.some(isObject)) return null;
  if (value.some(isList)) return JSON.stringify(value);
  return value.map((item) => (item === null ? '' : String(item))).join(ITEMS);
}
