import { type LayoutRow, type PlacedColumn, type Position, ROWS_OF_A_STEP } from '../../../rows/layout.js';
import type { PickedRow } from '../../../rows/row-picker.js';
import type { Steps } from '../../../rows/steps.js';
import type { Colouring } from './colours.js';
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
export interface Placing {
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
