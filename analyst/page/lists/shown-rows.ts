import { useCallback } from 'react';
import { CodedError } from '../../../kernel/errors.js';
import { type PlacedColumn, type Position, ROWS_OF_A_STEP } from '../../../rows/layout.js';
import type { JsonObject } from '../../../rows/path.js';
import { ANY_COLUMN, type RowChoice } from '../../../rows/row-choice.js';
import { type PickedRow, pickRows } from '../../../rows/row-picker.js';
import { type Steps, sortSteps } from '../../../rows/steps.js';
import type { ListMemory } from '../state/tab-memory.js';
import { type LoadedList, loadSteps } from './loaded-list.js';
import { useSteps } from './use-steps.js';

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
