import type { Cell } from './columns.js';
import { compareInOrder } from './compare-cells.js';
import { type PlacedColumn, ROWS_OF_A_STEP } from './layout.js';
import type { PickedRow } from './pick-rows.js';
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

/** What is said of a group: its rows, or its numbers. */
export const FIGURES = ['rows', 'sum', 'mean', 'median', 'min', 'max'] as const;
/** One of the figures. */
export type Figure = (typeof FIGURES)[number];

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

/** Counts rows by one or two columns, in steps; the groups come in the order of their first rows. */
export function* countSteps(rows: readonly Pick<PickedRow, 'of'>[], { by, of }: Counting): Steps<CountGroup[]> {
  const groups = new Map<Cell | undefined, { -readonly [name in keyof CountGroup]: CountGroup[name] }>();
  const numbers = new Map<CountGroup, number[]>();
  for (const [index, { of: row }] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const key = by.map((column) => row.cell(column));
    const id = key.length === 1 ? key[0] : JSON.stringify(key);
    let group = groups.get(id);
    if (group === undefined) {
      group = { key, rows: 0, ...NO_FIGURES };
      groups.set(id, group);
    }
    group.rows += 1;
    const number = of === null ? null : row.cell(of);
    if (typeof number !== 'number') continue;
    const own = numbers.get(group);
    if (own === undefined) numbers.set(group, [number]);
    else own.push(number);
  }
  let counted = 0;
  for (const [group, own] of numbers) {
    counted += 1;
    if (counted % ROWS_OF_A_STEP === 0) yield;
    Object.assign(group, figuresOf(own));
  }
  return [...groups.values()];
}

/** Groups of which those with equal figures are put in the order of their keys: to compare 100,000 texts takes a second. */
export const MOST_WITH_ORDERED_KEYS = 2_000;

/** The groups with the greatest figure first, in steps; of equals in the order of their keys, empty cells last. */
export function* orderSteps(groups: readonly CountGroup[], show: Figure): Steps<CountGroup[]> {
  const hasOrderedKeys = groups.length <= MOST_WITH_ORDERED_KEYS;
  return yield* sortSteps(groups, (one, other) => {
    const difference = (other[show] ?? -Infinity) - (one[show] ?? -Infinity);
    if (difference < 0 || difference > 0) return difference;
    return hasOrderedKeys ? compareKeys(one.key, other.key) : 0;
  });
}

/** The figures of some numbers. */
export function figuresOf(numbers: readonly number[]): NumberFigures {
  if (numbers.length === 0) return NO_FIGURES;
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

const NO_FIGURES: NumberFigures = { sum: null, mean: null, median: null, min: null, max: null };

function compareKeys(one: readonly Cell[], other: readonly Cell[]): number {
  for (const [place, cell] of one.entries()) {
    const difference = compareInOrder(cell, other[place] ?? null, false);
    if (difference !== 0) return difference;
  }
  return 0;
}
