import type { Cell } from '../../../rows/cells.js';
import { type LayoutRow, type PlacedColumn, ROWS_OF_A_STEP } from '../../../rows/layout.js';
import type { Steps } from '../../../rows/steps.js';

/** What the cells of a column contain; a date is a text such as `2026-01-31`, with or without a time. */
export type CellKind = 'number' | 'date' | 'boolean' | 'text';

/** What is known about a column from all rows. */
export interface ColumnProfile {
  readonly kind: CellKind;
  /** Whether all rows have the same cell, or none. */
  readonly isUniform: boolean;
  /** Characters of the longest of the first cells. */
  readonly width: number;
}

/** Rows whose cells determine the width. */
const MEASURED = 300;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T|$)/;

/** Profiles the columns, in steps. */
export function* profileSteps(
  columns: readonly PlacedColumn[],
  rows: readonly LayoutRow[],
): Steps<ReadonlyMap<string, ColumnProfile>> {
  const profiles = new Map<string, ColumnProfile>();
  for (const column of columns) {
    let kind: CellKind | null = null;
    let [isUniform, width] = [true, 0];
    const first = rows[0]?.cell(column) ?? null;
    for (const [index, row] of rows.entries()) {
      if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
      const cell = row.cell(column);
      if (cell !== first) isUniform = false;
      if (index < MEASURED) width = Math.max(width, String(cell ?? '').length);
      if (cell !== null && cell !== '') kind = kind === null ? kindOf(cell) : combined(kind, cell);
      if (kind === 'text' && !isUniform && index >= MEASURED) break;
    }
    profiles.set(column.name, { kind: kind ?? 'text', isUniform: isUniform && rows.length > 1, width });
  }
  return profiles;
}

function kindOf(cell: NonNullable<Cell>): CellKind {
  if (typeof cell !== 'string') return typeof cell === 'number' ? 'number' : 'boolean';
  return DATE.test(cell) ? 'date' : 'text';
}

function combined(kind: CellKind, cell: NonNullable<Cell>): CellKind {
  return kind !== 'text' && kindOf(cell) !== kind ? 'text' : kind;
}
