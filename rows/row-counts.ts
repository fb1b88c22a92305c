import { type Cell, compareInOrder, type SortKey, sortKeyOf } from './cells.js';
import { type PlacedColumn, ROWS_OF_A_STEP } from './layout.js';
import type { PickedRow } from './row-picker.js';
import type { Steps } from './steps.js';

/** Rows with the same cells in the columns that are counted by. */
export interface CountGroup {
  readonly key: readonly Cell[];
  /** How many; of rows that are counts themselves, their sum. */
  readonly count: number;
}

/** What to count. */
export interface Counting {
  /** One or two columns. */
  readonly by: readonly PlacedColumn[];
  /** The column of numbers that rows count for, where they are counts themselves; null to count each once. */
  readonly of: PlacedColumn | null;
}

/** Counts rows by one or two columns, in steps; groups are in the order of their first rows. */
export function* countSteps(rows: readonly Pick<PickedRow, 'of'>[], { by, of }: Counting): Steps<CountGroup[]> {
  const { groupOf, firstRows } = (yield* groupSteps(rows, by)) ?? NO_GROUPS;
  const counts = new Float64Array(firstRows.length);
  for (const [index, group] of groupOf.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    counts[group] = (counts[group] ?? 0) + (of === null ? 1 : Number(rows[index]?.of.cell(of) ?? 0));
  }
  const groups: CountGroup[] = [];
  for (const [group, first] of firstRows.entries()) {
    if (group % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    groups.push({ key: by.map((column) => rows[first]?.of.cell(column) ?? null), count: counts[group] ?? 0 });
  }
  return groups;
}

/** Up to this many groups, ties are sorted by key: comparing 100,000 texts takes a second. */
export const MOST_WITH_ORDERED_KEYS = 2_000;

/** The greatest groups first, in steps; ties in the order of their keys, as `order` sorts them. */
export function* orderSteps(groups: readonly CountGroup[]): Steps<CountGroup[]> {
  if (groups.length > MOST_WITH_ORDERED_KEYS) return yield* byCount(groups);
  const keyed = groups.map((group) => ({ group, keys: group.key.map(sortKeyOf) }));
  keyed.sort((one, other) => other.group.count - one.group.count || compareKeys(one.keys, other.keys));
  return keyed.map(({ group }) => group);
}

/** Sorts only the distinct counts, as numbers and without comparing groups. */
function* byCount(groups: readonly CountGroup[]): Steps<CountGroup[]> {
  const equals = new Map<number, CountGroup[]>();
  for (const [index, group] of groups.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const known = equals.get(group.count);
    if (known === undefined) equals.set(group.count, [group]);
    else known.push(group);
  }
  const counts = Float64Array.from(equals.keys()).sort().reverse();
  yield;
  const ordered: CountGroup[] = [];
  for (const [index, count] of counts.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    for (const group of equals.get(count) ?? []) ordered.push(group);
  }
  return ordered;
}

const NO_GROUPS: Grouping = { groupOf: new Uint32Array(0), firstRows: [] };

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
