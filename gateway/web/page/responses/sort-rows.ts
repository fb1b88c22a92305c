import type { Cell } from '../../rows/columns.js';
import { compareInOrder } from '../../rows/compare-cells.js';

/** The column that a table is sorted by. */
export interface Sorting {
  readonly column: number;
  readonly descending: boolean;
}

/** Rows sorted by a column, or in the order of the response if none was chosen. */
export function sortRows<R>(
  rows: readonly R[],
  sorting: Sorting | null,
  cellsOf: (row: R) => readonly Cell[],
): readonly R[] {
  if (sorting === null) return rows;
  const { column, descending } = sorting;
  return rows
    .map((row) => ({ row, cell: cellsOf(row)[column] ?? null }))
    .sort((one, other) => compareInOrder(one.cell, other.cell, descending))
    .map(({ row }) => row);
}
