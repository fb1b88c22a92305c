import type { Cell } from '../../../rows/cells.js';
import { type PlacedColumn, ROWS_OF_A_STEP } from '../../../rows/layout.js';
import type { Condition, PickedRow, RowChoice } from '../../../rows/row-choice.js';
import { type Steps, sortSteps } from '../../../rows/steps.js';

/** A class of rows on the map, with its colour. */
export interface ColourClass {
  /** Index in the palette: 0 to 7, or 8 for the rest. */
  readonly colour: number;
  readonly count: number;
  /** The value of its rows; null for the rest. */
  readonly value: NonNullable<Cell> | null;
}

/** The colours for the cells of a column. */
export interface Colouring {
  readonly classes: readonly ColourClass[];
  colourOf(cell: Cell): number;
}

/** Okabe and Ito's colours, which the colour-blind can distinguish, and that of values without a class. */
export const PALETTE = [
  ...['#d55e00', '#0072b2', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#b8a800', '#7a5195'],
  '#888',
] as const;

const COLOURS = 8;
/** The colour of values without a class. */
export const REST = 8;

/** Assigns colours to the most frequent values, in steps. */
export function* colourSteps(rows: readonly PickedRow[], column: PlacedColumn): Steps<Colouring> {
  const counts = new Map<Cell, number>();
  for (const [index, { of: row }] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const cell = row.cell(column);
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
  }
  const sorted = yield* sortSteps([...counts], ([, one], [, other]) => other - one);
  const named = sorted.flatMap(([value]) => (value === null ? [] : [value])).slice(0, COLOURS);
  const colours = new Map<Cell, number>(named.map((value, colour) => [value, colour]));
  const classes = named.map((value, colour): ColourClass => ({ colour, count: counts.get(value) ?? 0, value }));
  const colourOf = (cell: Cell): number => colours.get(cell) ?? REST;
  const rest = [...counts].reduce((sum, [cell, times]) => (colours.has(cell) ? sum : sum + times), 0);
  return { colourOf, classes: rest === 0 ? classes : [...classes, { colour: REST, count: rest, value: null }] };
}

/** The name in the response of a column that may have been renamed. */
export function nameOf(title: string, { columns }: RowChoice): string {
  return columns?.find((column) => column.title === title)?.name ?? title;
}

/** Whether a condition is that of a legend: rows with one value of the column. */
function isOfLegend({ column, operator }: Condition, name: string): boolean {
  return column === name && operator === 'eq';
}

/** The conditions without that of a legend of the column. */
export function withoutLegend(where: readonly Condition[], column: string): readonly Condition[] {
  const others = where.filter((condition) => !isOfLegend(condition, column));
  return others.length === where.length ? where : others;
}

/** Whether the conditions leave rows of this class. */
export function isShown(where: readonly Condition[], column: string, { value }: ColourClass): boolean {
  return where.every((condition) => !isOfLegend(condition, column) || condition.value === String(value));
}

/** The conditions after a click on a value: its rows alone, or after another click those of all. */
export function afterClick(
  where: readonly Condition[],
  column: string,
  value: NonNullable<Cell>,
): readonly Condition[] {
  const others = withoutLegend(where, column);
  const own: Condition = { column, operator: 'eq', value: String(value) };
  return where.some((one) => isOfLegend(one, column) && one.value === own.value) ? others : [...others, own];
}
