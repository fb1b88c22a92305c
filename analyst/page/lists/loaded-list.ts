import { useCallback } from 'react';
import { readDate } from '../../../kernel/dates.js';
import { CodedError } from '../../../kernel/errors.js';
import { fold } from '../../../kernel/fold.js';
import { type Cell, FRENCH } from '../../../rows/cells.js';
import type { Extent } from '../../../rows/extent.js';
import {
  type Layout,
  type LayoutRow,
  layoutOf,
  type PlacedColumn,
  type Position,
  ROWS_OF_A_STEP,
  shapeSteps,
} from '../../../rows/layout.js';
import { type JsonObject, readPath } from '../../../rows/path.js';
import { ANY_COLUMN, type PickedRow, pickRows, type RowChoice, type TextOf, textOf } from '../../../rows/row-choice.js';
import { type Steps, sortSteps } from '../../../rows/steps.js';
import { useSteps } from '../elements/effects.js';
import { dayOfDate } from '../elements/format.js';
import type { QueryResult } from '../state/query-result.js';
import { memoized } from '../state/store.js';
import type { ListMemory } from '../state/tab-memory.js';

/** All rows of a list in a response. */
export interface LoadedList {
  readonly data: JsonObject;
  readonly path: string;
  readonly layout: Layout;
  readonly rows: readonly LayoutRow[];
  /** By the column's name. */
  readonly profiles: ReadonlyMap<string, ColumnProfile>;
  /** Caches the texts that were searched. */
  readonly textOf: TextOf;
}

/** Lists that were already read, by response, so that going back to a tab reads nothing again. */
const loaded = new WeakMap<JsonObject, Map<string, LoadedList>>();

/** Reads a list, in steps. */
export function* loadSteps(data: JsonObject, path: string): Steps<LoadedList> {
  const known = loaded.get(data)?.get(path);
  if (known !== undefined) return known;
  const steps = readPath(path);
  const layout = layoutOf(steps, yield* shapeSteps(data, steps));
  const rows: LayoutRow[] = [];
  for (const row of layout.rowsOf(data)) {
    rows.push(row);
    if (rows.length % ROWS_OF_A_STEP === 0) yield;
  }
  const list = {
    data,
    path,
    layout,
    rows,
    profiles: yield* profileSteps(layout.columns, rows),
    textOf: memoized(textOf),
  };
  loaded.set(data, (loaded.get(data) ?? new Map()).set(path, list));
  return list;
}

/** Up to this many groups, ties are sorted by key: comparing 100,000 texts takes a second. */
export const MOST_WITH_ORDERED_KEYS = 2_000;

/** The most frequent values of a column, or days in Paris, with their counts, and how many more there are, in steps. */
export function* valueSteps(
  { layout, rows, profiles }: LoadedList,
  { name, part, most }: { readonly name: string; readonly part: string; readonly most: number },
): Steps<{ readonly values: readonly (readonly [value: string, rows: number])[]; readonly further: number }> {
  const column = layout.column(name);
  const kind = profiles.get(name)?.kind;
  const counts = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const cell = column === null ? null : row.cell(column);
    if (cell === null || cell === '') continue;
    const value = kind === 'date' ? (dayOfDate(String(cell)) ?? String(cell)) : String(cell);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const wanted = fold(part);
  const found: [value: string, rows: number][] = [];
  for (const [index, entry] of [...counts].entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    if (wanted === '' || fold(entry[0]).includes(wanted)) found.push(entry);
  }
  const hasOrderedValues = found.length <= MOST_WITH_ORDERED_KEYS;
  const compare = (one: string, other: string): number =>
    kind === 'number' ? Number(one) - Number(other) : FRENCH.compare(one, other);
  const sorted = yield* sortSteps(
    found,
    (one, other) => other[1] - one[1] || (hasOrderedValues ? compare(one[0], other[0]) : 0),
  );
  return { values: sorted.slice(0, most), further: Math.max(0, found.length - most) };
}

/** What the cells of a column contain; a date is a text such as `2026-01-31`, with or without a time. */
export type CellKind = 'number' | 'date' | 'boolean' | 'text';

/** What is known about a column from all rows. */
interface ColumnProfile {
  readonly kind: CellKind;
  /** Whether all rows have the same cell, or none. */
  readonly isUniform: boolean;
  /** Characters of the longest of the first cells. */
  readonly width: number;
}

/** Rows whose cells determine the width. */
const MEASURED = 300;

/** Profiles the columns, in steps. */
function* profileSteps(
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
  return readDate(cell) === null ? 'text' : 'date';
}

function combined(kind: CellKind, cell: NonNullable<Cell>): CellKind {
  return kind !== 'text' && kindOf(cell) !== kind ? 'text' : kind;
}

/** The rows that were chosen in the toolbar: table, map, counts, files and links contain exactly these. */
export interface ShownRows {
  readonly list: LoadedList;
  /** With their titles as names. */
  readonly columns: readonly PlacedColumn[];
  readonly positions: readonly Position[];
  readonly rows: readonly PickedRow[];
  /** The choice as applied: without what this list does not have, and without hidden columns. */
  readonly choice: RowChoice;
  /** Why the conditions could not be applied; null if they were. */
  readonly problem: string | null;
}

/** What a view of the rows of a result is drawn from. */
export interface ViewProps {
  readonly result: QueryResult;
  readonly shown: ShownRows;
  readonly extent: Extent;
  readonly memory: ListMemory;
}

/** What decides which rows are shown. */
type ShownChoice = Pick<ListMemory, 'choice' | 'hidesUniform'>;

/** Applies what was chosen to a list, in steps. */
export function* chooseSteps(list: LoadedList, chosen: ShownChoice): Steps<ShownRows> {
  const choice = applicable(chosen, list);
  try {
    return yield* pickSteps(list, choice, null);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return yield* pickSteps(list, { ...choice, where: [] }, error.message);
  }
}

function* pickSteps(list: LoadedList, choice: RowChoice, problem: string | null): Steps<ShownRows> {
  const picker = pickRows(list.layout, choice, list.textOf);
  const rows: PickedRow[] = [];
  for (let from = 0; from < list.rows.length; from += ROWS_OF_A_STEP) {
    for (const row of list.rows.slice(from, from + ROWS_OF_A_STEP)) {
      const picked = picker.pick(row);
      if (picked !== null) rows.push(picked);
    }
    yield;
  }
  const sorted = picker.order === null ? rows : yield* sortSteps(rows, picker.order);
  const { positions } = list.layout;
  return { list, columns: picker.columns, positions, rows: sorted, choice, problem };
}

/** Columns of a list in the chosen order, with the names that they have in responses. */
function applicable({ choice, hidesUniform }: ShownChoice, { layout, profiles }: LoadedList): RowChoice {
  const has = (name: string): boolean => layout.column(name) !== null;
  const hasCells = (name: string): boolean => has(name) && layout.column(name)?.holdsObjects !== true;
  const chosen = choice.columns?.filter(({ name }) => hasCells(name));
  const all = chosen ?? layout.columns.map(({ name }) => ({ name, title: name }));
  const differing = all.filter(({ name }) => profiles.get(name)?.isUniform !== true);
  return {
    columns: hidesUniform && differing.length > 0 ? differing : (chosen ?? null),
    where: choice.where.filter(({ column }) => column === ANY_COLUMN || has(column)),
    order: choice.order !== null && hasCells(choice.order.column) ? choice.order : null,
    distinct: choice.distinct,
  };
}

/** The chosen rows of a list; undefined until it is read. While a new choice is applied, the previous rows. */
export function useShownRows(
  data: JsonObject,
  path: string,
  { choice, hidesUniform }: ListMemory,
): { readonly shown: ShownRows | undefined; readonly isBusy: boolean } {
  const load = useCallback(() => loadSteps(data, path), [data, path]);
  const { value: list } = useSteps(load);
  const isCurrent = list?.data === data && list.path === path;
  const choose = useCallback(
    function* () {
      return isCurrent ? yield* chooseSteps(list, { choice, hidesUniform }) : undefined;
    },
    [isCurrent, list, choice, hidesUniform],
  );
  const { value, isBusy } = useSteps(choose);
  return { shown: value?.list === list && isCurrent ? value : undefined, isBusy };
}
