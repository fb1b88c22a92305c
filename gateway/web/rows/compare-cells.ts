import { type Cell, isEmptyCell } from './columns.js';

/** French collation that ignores case and accents, and compares numbers in text by value. */
export const FRENCH = new Intl.Collator('fr', { numeric: true, sensitivity: 'base' });

/**
 * A comparator for sorting: numbers by value, text by French collation, empty cells, also those of an empty text,
 * always last.
 */
export function compareInOrder(one: Cell, other: Cell, descending: boolean): number {
  if (isEmptyCell(one) || isEmptyCell(other)) return Number(isEmptyCell(one)) - Number(isEmptyCell(other));
  return descending ? -compareCells(one, other) : compareCells(one, other);
}

/** Compares two cells: negative if the first is less. */
export function compareCells(one: NonNullable<Cell>, other: NonNullable<Cell>): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return FRENCH.compare(String(one), String(other));
}
