import type { Cell } from './columns.js';
import { compareInOrder } from './compare-cells.js';
import { type LayoutRow, type PlacedColumn, ROWS_OF_A_STEP } from './layout.js';
import { sortSteps } from './sort-steps.js';
import type { Steps } from './steps.js';

/** Figures of the numbers in a group; null for a group without numbers. */
export interface NumberFigures {
  readonly sum: number | null;
  readonly mean: number | null;
  readonly median: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** The rows that have the same cells in the columns that are counted by. */
export interface CountGroup extends NumberFigures {
  readonly key: readonly Cell[];
  readonly rows: number;
}

/** What to count. */
export interface Counting {
  /** One or two columns. */
  readonly by: readonly PlacedColumn[];
  /** The column of numbers; null to count rows only. */
  readonly of: PlacedColumn | null;
}

/** Counts rows by one or two columns, in steps; the groups come in the order of their keys, empty cells last. */
export function* countSteps(rows: readonly LayoutRow[], { by, of }: Counting): Steps<CountGroup[]> {
  const groups = new Map<string, { key: Cell[]; rows: number; numbers: number[] }>();
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const key = by.map((column) => row.cell(column));
    const text = JSON.stringify(key);
    const group = groups.get(text) ?? { key, rows: 0, numbers: [] };
    groups.set(text, group);
    group.rows += 1;
    const number = of === null ? null : row.cell(of);
    if (typeof number === 'number') group.numbers.push(number);
  }
  const counted = [...groups.values()].map(({ key, rows: count, numbers }) => {
    return { key, rows: count, ...figuresOf(numbers) };
  });
  return yield* sortSteps(counted, (one, other) => compareKeys(one.key, other.key));
}

/** The figures of some numbers. */
export function figuresOf(numbers: readonly number[]): NumberFigures {
  if (numbers.length === 0) return { sum: null, mean: null, median: null, min: null, max: null };
  const sorted = [...numbers].sort((one, other) => one - other);
  const sum = numbers.reduce((total, number) => total + number, 0);
  const middle = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return {
    sum,
    mean: sum / numbers.length,
    median: (low + high) / 2,
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
  };
}

function compareKeys(one: readonly Cell[], other: readonly Cell[]): number {
  for (const [place, cell] of one.entries()) {
    const difference = compareInOrder(cell, other[place] ?? null, false);
    if (difference !== 0) return difference;
  }
  return 0;
}
