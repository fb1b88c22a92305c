import type { Cell } from '../../rows/columns.js';

export interface Sorting {
  readonly column: number;
  readonly descending: boolean;
}

const collator = new Intl.Collator('fr', { numeric: true, sensitivity: 'base' });

/** Rows in the order of a column: numbers by value, text as in French, what is empty always last. */
export function sortRows(rows: readonly (readonly Cell[])[], { column, descending }: Sorting): (readonly Cell[])[] {
  const direction = descending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [one[column] ?? null, other[column] ?? null];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
    return direction * collator.compare(String(a), String(b));
  });
}
