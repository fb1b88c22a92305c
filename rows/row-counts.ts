import { type Cell, compareInOrder, type SortKey, sortKeyOf } from './cells.js';
import { type PlacedColumn, ROWS_OF_A_STEP } from './layout.js';
import type { PickedRow } from './row-picker.js';
import type { Steps } from './steps.js';

/** Figures of the numbers in a group; null for a group without numbers. */
interface NumberFigures {
  readonly sum: number | null;
  readonly mean: number | null;
  readonly median: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** The figures of a group: its number of rows, or statistics of its numbers. */
export const FIGURES = ['rows', 'sum', 'mean', 'median', 'min', 'max'] as const;
/** One of the figures. */
export type Figure = (typeof FIGURES)[number];

/** Rows with the same cells in the columns that are counted by. */
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

/** Counts rows by one or two columns, in steps; groups are in the order of their first rows. */
export function* countSteps(rows: readonly Pick<PickedRow, 'of'>[], { by, of }: Counting): Steps<CountGroup[]> {
  const { groupOf, firstRows } = (yield* groupSteps(rows, by)) ?? NO_GROUPS;
  const sizes = new Uint32Array(firstRows.length);
  for (const group of groupOf) sizes[group] = (sizes[group] ?? 0) + 1;
  const numbers = of === null ? null : yield* numbersOfGroups(rows, of, { groupOf, sizes });
  const groups: CountGroup[] = [];
  for (const [group, first] of firstRows.entries()) {
    if (group % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const key = by.map((column) => rows[first]?.of.cell(column) ?? null);
    const { sum, mean, median, min, max } = numbers === null ? NO_FIGURES : figuresOf(numbers(group));
    groups.push({ key, rows: sizes[group] ?? 0, sum, mean, median, min, max });
  }
  return groups;
}

/** The numbers of each group, in one array: creating 100,000 small arrays would take longer than reading them. */
function* numbersOfGroups(
  rows: readonly Pick<PickedRow, 'of'>[],
  of: PlacedColumn,
  { groupOf, sizes }: { readonly groupOf: Uint32Array; readonly sizes: Uint32Array },
): Steps<(group: number) => Float64Array> {
  const starts = new Uint32Array(sizes.length);
  for (let group = 1; group < sizes.length; group += 1) {
    starts[group] = (starts[group - 1] ?? 0) + (sizes[group - 1] ?? 0);
  }
  const ends = starts.slice();
  const all = new Float64Array(rows.length);
  for (const [index, { of: row }] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const number = row.cell(of);
    if (typeof number !== 'number') continue;
    const group = groupOf[index] ?? 0;
    const end = ends[group] ?? 0;
    all[end] = number;
    ends[group] = end + 1;
  }
  return (group) => all.subarray(starts[group], ends[group]);
}

/** Up to this many groups, ties are sorted by key: comparing 100,000 texts takes a second. */
export const MOST_WITH_ORDERED_KEYS = 2_000;

/** The groups with the greatest figure first, in steps; ties in the order of their keys, as `order` sorts them. */
export function* orderSteps(groups: readonly CountGroup[], show: Figure): Steps<CountGroup[]> {
  if (groups.length > MOST_WITH_ORDERED_KEYS) return yield* byFigure(groups, show);
  const keyed = groups.map((group) => ({ group, keys: group.key.map(sortKeyOf) }));
  keyed.sort((one, other) => {
    const difference = (other.group[show] ?? -Infinity) - (one.group[show] ?? -Infinity);
    return difference < 0 || difference > 0 ? difference : compareKeys(one.keys, other.keys);
  });
  return keyed.map(({ group }) => group);
}

/** Sorts only the distinct figures, as numbers and without comparing groups. */
function* byFigure(groups: readonly CountGroup[], show: Figure): Steps<CountGroup[]> {
  const equals = new Map<number, CountGroup[]>();
  for (const [index, group] of groups.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const figure = group[show] ?? -Infinity;
    const known = equals.get(figure);
    if (known === undefined) equals.set(figure, [group]);
    else known.push(group);
  }
  const figures = Float64Array.from(equals.keys()).sort().reverse();
  yield;
  const ordered: CountGroup[] = [];
  for (const [index, figure] of figures.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    for (const group of equals.get(figure) ?? []) ordered.push(group);
  }
  return ordered;
}

/** The figures of some numbers. */
export function figuresOf(numbers: Float64Array): NumberFigures {
  const [first] = numbers;
  if (first === undefined) return NO_FIGURES;
  if (numbers.length === 1) return { sum: first, mean: first, median: first, min: first, max: first };
  let sum = 0;
  for (const number of numbers) sum += number;
  const sorted = numbers.slice().sort();
  const middle = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return {
    sum,
    mean: sum / sorted.length,
    median: (low + high) / 2,
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
  };
}

const NO_GROUPS: Grouping = { groupOf: new Uint32Array(0), firstRows: [] };

const NO_FIGURES: NumberFigures = { sum: null, mean: null, median: null, min: null, max: null };

function compareKeys(one: readonly SortKey[], other: readonly SortKey[]): number {
  for (const [place, key] of one.entries()) {
    const difference = compareInOrder(key, other[place] ?? null, false);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Which rows have the same cells; groups are numbered in the order of their first rows. */
interface Grouping {
  /** By the index of a row, the number of its group. */
  readonly groupOf: Uint32Array;
  /** By the number of a group, the index of its first row. */
  readonly firstRows: readonly number[];
}

/**
 * Groups rows by the cells of some columns, in steps. Each further column groups pairs of numbers: building a text for
 * each pair of cells would take longer than everything else.
 */
function* groupSteps(rows: readonly Pick<PickedRow, 'of'>[], by: readonly PlacedColumn[]): Steps<Grouping | undefined> {
  let groups: Grouping | undefined;
  for (const column of by) {
    const own = yield* numberSteps(rows.length, (index) => rows[index]?.of.cell(column));
    groups = groups === undefined ? own : yield* pairSteps(groups, own);
  }
  return groups;
}

function pairSteps(one: Grouping, other: Grouping): Steps<Grouping> {
  const width = other.firstRows.length;
  return numberSteps(one.groupOf.length, (index) => (one.groupOf[index] ?? 0) * width + (other.groupOf[index] ?? 0));
}

function* numberSteps<T>(count: number, valueAt: (index: number) => T): Steps<Grouping> {
  const numbers = new Map<T, number>();
  const groupOf = new Uint32Array(count);
  const firstRows: number[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const value = valueAt(index);
    let number = numbers.get(value);
    if (number === undefined) {
      number = firstRows.push(index) - 1;
      numbers.set(value, number);
    }
    groupOf[index] = number;
  }
  return { groupOf, firstRows };
}
