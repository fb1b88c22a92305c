import { type Cell, compareInOrder, type SortKey, sortKeyOf } from './cells.js';
import { type PlacedColumn, ROWS_OF_A_STEP } from './layout.js';
import type { PickedRow } from './row-picker.js';
import { type Steps, sortSteps } from './steps.js';

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
  if (by.length === 0) return [];
  const groups: { readonly key: readonly Cell[]; count: number }[] = [];
  // By the second cell and the first: building a text for each pair would take longer than everything else.
  const known = new Map<Cell, Map<Cell, (typeof groups)[number]>>();
  for (const [index, { of: row }] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const key = by.map((column) => row.cell(column));
    const [first = null, second = null] = key;
    const alike = known.get(second) ?? new Map<Cell, (typeof groups)[number]>();
    let group = alike.get(first);
    if (group === undefined) {
      group = { key, count: 0 };
      groups.push(group);
      known.set(second, alike.set(first, group));
    }
    group.count += of === null ? 1 : Number(row.cell(of) ?? 0);
  }
  return groups;
}

/** Up to this many groups, ties are sorted by key: comparing 100,000 texts takes a second. */
export const MOST_WITH_ORDERED_KEYS = 2_000;

/** The greatest groups first, in steps; ties in the order of their keys, as `order` sorts them. */
export function* orderSteps(groups: readonly CountGroup[]): Steps<CountGroup[]> {
  const hasOrder = groups.length <= MOST_WITH_ORDERED_KEYS;
  const keyed = groups.map((group) => ({ group, keys: hasOrder ? group.key.map(sortKeyOf) : [] }));
  const sorted = yield* sortSteps(
    keyed,
    (one, other) => other.group.count - one.group.count || compareKeys(one.keys, other.keys),
  );
  return sorted.map(({ group }) => group);
}

function compareKeys(one: readonly SortKey[], other: readonly SortKey[]): number {
  for (const [place, key] of one.entries()) {
    const difference = compareInOrder(key, other[place] ?? null, false);
    if (difference !== 0) return difference;
  }
  return 0;
}
