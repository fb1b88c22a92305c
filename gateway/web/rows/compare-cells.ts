import type { Cell } from './columns.js';

/** Text as it is compared in French: without regard to case and accents, numbers in it by their value. */
export const FRENCH = new Intl.Collator('fr', { numeric: true, sensitivity: 'base' });

/** Below zero when the first comes first: numbers by value, text as in French, what is empty always last. */
export function compareInOrder(one: Cell, other: Cell, descending: boolean): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
  return descending ? -compareCells(one, other) : compareCells(one, other);
}

/** Below zero when the first is less. */
export function compareCells(one: NonNullable<Cell>, other: NonNullable<Cell>): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return FRENCH.compare(String(one), String(other));
}
