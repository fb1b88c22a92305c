import { type PlacedColumn, ROWS_OF_A_STEP } from './layout.js';
import type { PickedRow } from './pick-rows.js';
import type { Steps } from './steps.js';

/** Which rows have the same cells; groups are numbered in the order of their first rows. */
export interface Grouping {
  /** By the index of a row, the number of its group. */
  readonly groupOf: Uint32Array;
  /** By the number of a group, the index of its first row. */
  readonly firstRows: readonly number[];
}

/**
 * Groups rows by the cells of some columns, in steps. Each further column groups pairs of numbers: building a text for
 * each pair of cells would take longer than everything else.
 */
export function* groupSteps(
  rows: readonly Pick<PickedRow, 'of'>[],
  by: readonly PlacedColumn[],
): Steps<Grouping | undefined> {
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
