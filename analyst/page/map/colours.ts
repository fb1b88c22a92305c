import type { Cell } from '../../../rows/cells.js';
import { type PlacedColumn, ROWS_OF_A_STEP } from '../../../rows/layout.js';
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
