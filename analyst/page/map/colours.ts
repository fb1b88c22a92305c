import type { Cell } from '../../../rows/cells.js';
import { type PlacedColumn, ROWS_OF_A_STEP } from '../../../rows/layout.js';
import { type Condition, type RowChoice, readValues, testOf } from '../../../rows/row-choice.js';
import type { PickedRow } from '../../../rows/row-picker.js';
import type { Steps } from '../../../rows/steps.js';

/** The least and the greatest number of a class. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A class of rows on the map, with its colour. */
export interface ColourClass {
  /** Index in the palette: 0 to 7, or 8 for the rest. */
  readonly colour: number;
  readonly count: number;
  /** The value of its rows, or the least and the greatest; null for the rest. */
  readonly of: { readonly value: NonNullable<Cell> } | Range | null;
}

/** The colours for the cells of a column. */
export interface Colouring {
  /** Whether classes are ranges of numbers. */
  readonly isByRange: boolean;
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

/** Assigns colours, in steps: to quintiles of numbers, or to the most frequent of other values. */
export function* colourSteps(rows: readonly PickedRow[], column: PlacedColumn): Steps<Colouring> {
  const counts = new Map<Cell, number>();
  for (const [index, { of: row }] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const cell = row.cell(column);
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
  }
  let [numbers, others] = [0, 0];
  for (const [cell, times] of counts) {
    if (typeof cell === 'number') numbers += times;
    else others += times;
  }
  yield;
  return counts.size > COLOURS && numbers > others ? byQuantile(counts, numbers) : byFrequency(counts);
}

function byFrequency(counts: ReadonlyMap<Cell, number>): Colouring {
  const named = mostFrequent(counts);
  const colours = new Map<Cell, number>(named.map((value, colour) => [value, colour]));
  const classes = named.map((value, colour): ColourClass => ({ colour, count: counts.get(value) ?? 0, of: { value } }));
  const colourOf = (cell: Cell): number => colours.get(cell) ?? REST;
  return { isByRange: false, colourOf, classes: [...classes, ...restOf(counts, colourOf)] };
}

/** The values that most rows have, most frequent first, without sorting all values: there may be one per row. */
function mostFrequent(counts: ReadonlyMap<Cell, number>): NonNullable<Cell>[] {
  const most: [value: NonNullable<Cell>, times: number][] = [];
  for (const [value, times] of counts) {
    if (value === null || (most.length === COLOURS && times <= (most.at(-1)?.[1] ?? 0))) continue;
    const place = most.findIndex(([, other]) => other < times);
    most.splice(place < 0 ? most.length : place, 0, [value, times]);
    most.length = Math.min(most.length, COLOURS);
  }
  return most.map(([value]) => value);
}

const QUANTILES = 5;

function byQuantile(counts: ReadonlyMap<Cell, number>, total: number): Colouring {
  const values = Float64Array.from([...counts.keys()].filter((cell) => typeof cell === 'number')).sort();
  const starts: number[] = [];
  let [before, share] = [0, -1];
  for (const value of values) {
    // A class begins where its share of the rows begins.
    if (Math.floor((before * QUANTILES) / total) > share) starts.push(value);
    share = Math.floor((before * QUANTILES) / total);
    before += counts.get(value) ?? 0;
  }
  const colourOf = (cell: Cell): number =>
    typeof cell === 'number' ? Math.max(0, starts.filter((start) => cell >= start).length - 1) : REST;
  const classes = starts.map((from, colour): { colour: number; count: number; of: { from: number; to: number } } => ({
    colour,
    count: 0,
    of: { from, to: from },
  }));
  for (const value of values) {
    const own = classes[colourOf(value)];
    if (own === undefined) continue;
    own.count += counts.get(value) ?? 0;
    own.of.to = value;
  }
  return { isByRange: true, colourOf, classes: [...classes, ...restOf(counts, colourOf)] };
}

function restOf(counts: ReadonlyMap<Cell, number>, colourOf: Colouring['colourOf']): ColourClass[] {
  let count = 0;
  for (const [cell, times] of counts) if (colourOf(cell) === REST) count += times;
  return count === 0 ? [] : [{ colour: REST, count, of: null }];
}

/** The operators with which the legend hides classes: values by naming them, numbers by a range. */
const OPERATORS: readonly Condition['operator'][] = ['eq', 'in', 'ne', 'ge', 'gt', 'le', 'lt', 'empty'];

/** The name in the response of a column that may have been renamed. */
export function nameOf(title: string, { columns }: RowChoice): string {
  return columns?.find((column) => column.title === title)?.name ?? title;
}

/** The conditions without those that a legend of the column sets. */
export function withoutLegend(where: readonly Condition[], column: string): readonly Condition[] {
  const others = where.filter((condition) => !isOfLegend(condition, column));
  return others.length === where.length ? where : others;
}

function isOfLegend(condition: Condition, column: string): boolean {
  return condition.column === column && OPERATORS.includes(condition.operator);
}

/** The colours of the classes whose rows the conditions leave out. */
export function hiddenColours(
  where: readonly Condition[],
  column: string,
  { classes, isByRange }: Colouring,
): ReadonlySet<number> {
  const own = where.filter((condition) => isOfLegend(condition, column));
  const tests = own.map((condition) => testOf(condition));
  const named = own.some(({ operator }) => operator === 'in' || operator === 'eq');
  const isHidden = ({ of }: ColourClass): boolean => {
    if (of === null) return isByRange ? tests.some((meets) => !meets(null)) : named;
    const cell = 'value' in of ? of.value : of.from;
    return tests.some((meets) => !meets(cell));
  };
  return new Set(classes.filter(isHidden).map(({ colour }) => colour));
}

/**
 * The conditions after a click on a class. A value is hidden or shown again; a class of numbers is shown alone, or all
 * of them again, because conditions cannot leave out the middle of a range.
 */
export function afterClick(
  where: readonly Condition[],
  column: string,
  colouring: Colouring,
  clicked: ColourClass,
): readonly Condition[] {
  const hidden = new Set(hiddenColours(where, column, colouring));
  const others = withoutLegend(where, column);
  const condition = (operator: Condition['operator'], value: string): Condition => ({ column, operator, value });
  if (colouring.isByRange) {
    const isOnly = hidden.size === colouring.classes.length - 1 && !hidden.has(clicked.colour);
    if (isOnly) return others;
    if (clicked.of === null || 'value' in clicked.of) return [...others, condition('empty', 'true')];
    const { from, to } = shortRange(clicked.of, colouring.classes);
    return [...others, condition('ge', String(from)), condition('le', String(to))];
  }
  if (!hidden.delete(clicked.colour)) hidden.add(clicked.colour);
  const texts = (isWanted: (colour: number) => boolean): string[] =>
    colouring.classes.flatMap(({ colour, of }) =>
      of !== null && 'value' in of && isWanted(colour) ? [String(of.value)] : [],
    );
  if (!hidden.has(REST)) {
    return [...others, ...texts((colour) => hidden.has(colour)).map((value) => condition('ne', value))];
  }
  const all = new Set(texts(() => true));
  const chosen = where.flatMap((one) => (one.column === column && one.operator === 'in' ? readValues(one.value) : []));
  const values = [...texts((colour) => !hidden.has(colour)), ...chosen.filter((value) => !all.has(value))];
  const [single] = values;
  return [
    ...others,
    values.length === 1 && single !== undefined ? condition('eq', single) : condition('in', JSON.stringify(values)),
  ];
}

/** The same rows by bounds with few digits: just enough to exclude the neighbouring classes. */
function shortRange({ from, to }: Range, classes: readonly ColourClass[]): Range {
  const ranges = classes.flatMap(({ of }) => (of !== null && 'from' in of ? [of] : []));
  const below = Math.max(...ranges.map((range) => range.to).filter((end) => end < from));
  const above = Math.min(...ranges.map((range) => range.from).filter((start) => start > to));
  for (const digits of [1, 10, 100, 1000]) {
    const short = { from: Math.floor(from * digits) / digits, to: Math.ceil(to * digits) / digits };
    if (short.from > below && short.to < above) return short;
  }
  return { from, to };
}
