import { type LayoutRow, type PlacedColumn, type Position, ROWS_OF_A_STEP } from '../../../rows/layout.js';
import type { PickedRow } from '../../../rows/row-picker.js';
import type { Steps } from '../../../rows/steps.js';
import type { LoadedList } from '../lists/loaded-list.js';
import { chooseSteps, type ShownRows } from '../lists/shown-rows.js';
import { type Colouring, colourSteps, nameOf, withoutLegend } from './colours.js';
import { type Point, project } from './projection.js';

/** A row at its position in the drawing. */
export interface MapPoint extends Point {
  readonly row: LayoutRow;
  readonly colour: number;
}

/** The rows of a table on the map; rows that are not shown are counted. */
export interface PlacedRows {
  readonly points: readonly MapPoint[];
  /** Rows whose position lies outside the drawing. */
  readonly outside: number;
  /** Rows without a position. */
  readonly nowhere: number;
}

/** How rows become points. */
interface Placing {
  /** Undefined if the list has none. */
  readonly position: Position | undefined;
  /** Null for one colour. */
  readonly colouring: Colouring | null;
  readonly column: PlacedColumn | null;
}

/** Projects rows by one of their positions, in steps. */
export function* placeSteps(rows: readonly PickedRow[], { position, colouring, column }: Placing): Steps<PlacedRows> {
  const points: MapPoint[] = [];
  let [outside, nowhere] = [0, 0];
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    const where = position === undefined ? null : row.at(position);
    const point = where === null ? null : project(...where);
    if (where === null) nowhere += 1;
    else if (point === null) outside += 1;
    else {
      const colour = colouring === null || column === null ? 0 : colouring.colourOf(row.of.cell(column));
      points.push({ x: point.x, y: point.y, row: row.of, colour });
    }
  }
  return { points, outside, nowhere };
}

/** The shown rows on the map, with the colours of a column. */
export interface PlacedMap extends PlacedRows {
  readonly list: LoadedList;
  readonly position: Position | undefined;
  /** Null for one colour. */
  readonly colouring: Colouring | null;
}

/** Colours and places the shown rows, in steps. */
export function* mapSteps(
  shown: ShownRows,
  position: Position | undefined,
  column: PlacedColumn | null,
): Steps<PlacedMap> {
  const colouring = column === null ? null : yield* colourSteps(yield* rowsOfLegend(shown, column), column);
  const placed = yield* placeSteps(shown.rows, { position, colouring, column });
  return { ...placed, list: shown.list, position, colouring };
}

/** The rows that the legend counts, including those that it hides, so that they can be shown again in their colour. */
function* rowsOfLegend(shown: ShownRows, { name }: PlacedColumn): Steps<ShownRows['rows']> {
  const { choice, list } = shown;
  const where = withoutLegend(choice.where, nameOf(name, choice));
  if (where === choice.where) return shown.rows;
  return (yield* chooseSteps(list, { choice: { ...choice, where, order: null }, hidesUniform: false })).rows;
}
