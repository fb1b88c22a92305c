import DEPARTMENTS from '@etalab/decoupage-administratif/data/departements.json' with { type: 'json' };
import { fold } from '../../../kernel/fold.js';
import { type Cell, compareInOrder, ITEMS, type SortKey, sortKeyOf } from '../../../rows/cells.js';
import { type PlacedColumn, ROWS_OF_A_STEP } from '../../../rows/layout.js';
import type { PickedRow } from '../../../rows/row-choice.js';
import { type Steps, sortSteps } from '../../../rows/steps.js';
import { dayOfDate } from '../elements/format.js';
import { lastStep } from '../labels/labels.js';
import { type LoadedList, MOST_WITH_ORDERED_KEYS } from '../lists/loaded-list.js';
import type { CountingMemory } from '../state/tab-memory.js';

/** Rows, or groups, that show whether a column is the département. */
const SAMPLE = 200;
/** A column with more distinct values than this is not worth counting by. */
const MOST_VALUES = 120;

/**
 * What is worth counting in a list: by a column that the question names, as `MissionsByDomain` does, or else by
 * département if a column holds départements, else by the first text that repeats.
 * Rows that are counts themselves, such as those of `missionCounts`, are summed.
 */
export function usualCounting({ layout, rows, profiles }: LoadedList, question: string): CountingMemory {
  const sample = rows.slice(0, SAMPLE);
  const names = layout.columns.map(({ name }) => name);
  const of = names.find((name) => /^(count|docCount)$/.test(name)) ?? '';
  const texts = layout.columns.filter(({ name }) => profiles.get(name)?.kind === 'text');
  const isRepeating = (column: PlacedColumn): boolean => {
    const values = new Set(sample.map((row) => row.cell(column)));
    return values.size > 1 && values.size <= Math.min(MOST_VALUES, sample.length / 2);
  };
  const repeating = texts.find(isRepeating);
  // Names are read more easily than codes.
  const department = texts
    .toSorted((one, other) => Number(isName(other.name)) - Number(isName(one.name)))
    .find((column) => {
      const cells = sample.map((row) => row.cell(column)).filter((cell) => cell !== null);
      return (
        cells.length > 0 && cells.filter((cell) => departmentOf(cell, column.name) !== null).length > cells.length / 2
      );
    });
  const asked = question.toLowerCase();
  const named = texts.filter(isRepeating).find(({ name }) => asked.includes(lastStep(name).toLowerCase()));
  const label = of === '' ? undefined : names.find((name) => name === 'label' || name === 'label.1');
  const by = named?.name ?? department?.name ?? label ?? repeating?.name ?? names[0];
  return { by: by === undefined ? [] : [by], of };
}

/**
 * The rows as they are counted: with the month in Paris of a date, such as `2026-07`, and once for each item of a list.
 */
export function countable(
  rows: readonly Pick<PickedRow, 'of'>[],
  by: readonly PlacedColumn[],
  dates: readonly PlacedColumn[],
): readonly Pick<PickedRow, 'of'>[] {
  const lists = by.filter(({ isList }) => isList === true);
  if (dates.length === 0 && lists.length === 0) return rows;
  const asCounted = (cell: Cell): Cell => (typeof cell === 'string' && dayOfDate(cell)?.slice(0, 7)) || cell;
  return rows.flatMap(({ of }) => {
    let all = [(column: PlacedColumn) => (dates.includes(column) ? asCounted(of.cell(column)) : of.cell(column))];
    for (const list of lists) {
      const items = [...new Set(String(of.cell(list) ?? '').split(ITEMS))];
      all = all.flatMap((cellOf) => items.map((item) => (column) => (column === list ? item || null : cellOf(column))));
    }
    return all.map((cell) => ({ of: { ...of, cell } }));
  });
}

/** A bar whose parts are the groups of one first key. */
export interface Stack {
  readonly key: Cell;
  readonly total: number;
  /** The greatest kinds first; those without a colour of their own are one part, of the last. */
  readonly parts: readonly { readonly kind: Cell; readonly value: number; readonly colour: number }[];
}

/** Groups of two columns as bars with a part for each value of the second, and those values in the order of colours. */
export function stacksOf(
  groups: readonly CountGroup[],
  colours: number,
): { readonly stacks: readonly Stack[]; readonly kinds: readonly Cell[] } {
  const totals = new Map<Cell, number>();
  for (const { key, count } of groups) {
    totals.set(key[1] ?? null, (totals.get(key[1] ?? null) ?? 0) + count);
  }
  const kinds = [...totals].sort(([, one], [, other]) => other - one).map(([kind]) => kind);
  const colourOf = new Map(kinds.slice(0, colours).map((kind, index) => [kind, index]));
  const stacks = new Map<Cell, Stack['parts'][number][]>();
  for (const { key, count } of groups) {
    const [first = null, kind = null] = key;
    const colour = colourOf.get(kind) ?? colours;
    const parts = stacks.get(first) ?? [];
    // By colour: a bar of a thousand kinds must not have a thousand parts.
    parts[colour] = { kind, value: (parts[colour]?.value ?? 0) + count, colour };
    stacks.set(first, parts);
  }
  const bars = [...stacks].map(([key, byColour]) => {
    const parts = Object.values(byColour);
    return { key, total: parts.reduce((sum, { value }) => sum + value, 0), parts };
  });
  return { stacks: bars.sort((one, other) => other.total - one.total), kinds };
}

function isName(column: string): boolean {
  return /(?:^|[./])(?:label|nom|name)$|Name$/.test(column);
}

/** The counts of a map of départements. */
interface PlacedGroups {
  /** By the official code. */
  readonly values: ReadonlyMap<string, number>;
  /** Groups that are not on the map. */
  readonly elsewhere: number;
}

/** The counts by département, and how many groups the map does not draw; null if no column is the département. */
export function placedGroups(groups: readonly CountGroup[], by: Counting['by']): PlacedGroups | null {
  for (const [place, { name }] of by.entries()) {
    const values = new Map<string, number>();
    let elsewhere = 0;
    let undrawn = 0;
    for (const [index, group] of groups.entries()) {
      if (index === SAMPLE && elsewhere > SAMPLE / 2) {
        elsewhere = groups.length;
        break;
      }
      const code = departmentOf(group.key[place] ?? null, name);
      if (code === null) elsewhere += 1;
      else if (!DRAWN.has(code)) undrawn += 1;
      // Of pairs, a département has several groups.
      else values.set(code, (values.get(code) ?? 0) + group.count);
    }
    if (values.size > 0 && elsewhere <= groups.length / 2) return { values, elsewhere: elsewhere + undrawn };
  }
  return null;
}

const CODES = new Set(DEPARTMENTS.map(({ code }) => code));
const CODES_BY_NAME = new Map(DEPARTMENTS.map(({ code, nom }) => [plain(nom), code]));

/** The official list has the overseas collectivities too, which the map does not draw. */
const DRAWN = new Set(DEPARTMENTS.filter(({ zone }) => zone !== 'com').map(({ code }) => code));

/**
 * The official code of the département that a cell names; null if it names none. A code counts only in a column that is
 * named after départements, or `key`; elsewhere, two digits may mean anything.
 */
export function departmentOf(cell: Cell, column: string): string | null {
  if (typeof cell !== 'string') return null;
  const byName = CODES_BY_NAME.get(plain(cell));
  if (byName !== undefined) return byName;
  const code = cell.toUpperCase();
  return CODES.has(code) && /dep|^key$/i.test(fold(column)) ? code : null;
}

function plain(name: string): string {
  return fold(name)
    .replace(/\bst\b/g, 'saint')
    .replace(/[^a-z]/g, '');
}

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
