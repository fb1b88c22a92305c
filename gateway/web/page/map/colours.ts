import type { Cell } from '../../rows/columns.js';

/** A class of rows on the map, with its colour. */
export interface ColourClass {
  readonly label: string;
  /** Index in the palette: 0 to 7, or 8 for the rest. */
  readonly colour: number;
  readonly count: number;
}

/** The colours for the cells of a column. */
export interface Colouring {
  readonly classes: readonly ColourClass[];
  colourOf(cell: Cell): number;
}

const COLOURS = 8;
/** The colour of values without a class. */
export const REST = 8;

/** Assigns colours: to quintiles of numbers, or to the most frequent of other values. */
export function colourBy(cells: readonly Cell[]): Colouring {
  const values = new Set(cells);
  const numbers = cells.filter((cell): cell is number => typeof cell === 'number');
  return values.size > COLOURS && numbers.length > cells.length / 2 ? byQuantile(numbers, cells) : byFrequency(cells);
}

function byFrequency(cells: readonly Cell[]): Colouring {
  const counts = new Map<Cell, number>();
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  const named = [...counts].filter(([cell]) => cell !== null).sort((one, other) => other[1] - one[1]);
  const colours = new Map(named.slice(0, COLOURS).map(([cell], index) => [cell, index]));
  const colourOf = (cell: Cell): number => colours.get(cell) ?? REST;
  return { colourOf, classes: count(cells, colourOf, (colour) => String(named[colour]?.[0])) };
}

const QUANTILES = 5;

function byQuantile(numbers: readonly number[], cells: readonly Cell[]): Colouring {
  const sorted = [...numbers].sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const bounds = Array.from({ length: QUANTILES - 1 }, (_, index) => at((index + 1) / QUANTILES));
  const colourOf = (cell: Cell): number =>
    typeof cell === 'number' ? bounds.filter((bound) => cell >= bound).length : REST;
  const label = (colour: number): string =>
    `${say(colour === 0 ? at(0) : bounds[colour - 1])} – ${say(colour === QUANTILES - 1 ? at(1) : bounds[colour])}`;
  return { colourOf, classes: count(cells, colourOf, label) };
}

function count(
  cells: readonly Cell[],
  colourOf: (cell: Cell) => number,
  label: (colour: number) => string,
): ColourClass[] {
  const counts = new Map<number, number>();
  for (const cell of cells) counts.set(colourOf(cell), (counts.get(colourOf(cell)) ?? 0) + 1);
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([colour, times]) => ({ colour, count: times, label: colour === REST ? 'other or none' : label(colour) }));
}

function say(value: number | undefined): string {
  return value === undefined ? '' : String(Math.round(value * 100) / 100);
}
