import type { Cell } from '../../rows/columns.js';
import type { LayoutRow } from '../../rows/layout.js';
import type { PickedRow } from '../../rows/pick-rows.js';
import type { Position } from '../../rows/row.js';
import { DRAWING, type Point, project } from './projection.js';

/** A row at its position in the drawing. */
export interface MapPoint extends Point {
  readonly row: LayoutRow;
  readonly cells: readonly Cell[];
}

/** The rows of a table on the map; rows that are not shown are counted. */
export interface PlacedRows {
  readonly points: readonly MapPoint[];
  /** Rows whose position lies outside the drawing. */
  readonly outside: number;
  /** Rows without a position. */
  readonly nowhere: number;
}

/** Projects rows by one of their positions. */
export function placeRows(rows: Iterable<PickedRow>, position: Position | undefined): PlacedRows {
  const points: MapPoint[] = [];
  let [outside, nowhere] = [0, 0];
  for (const row of rows) {
    const at = position === undefined ? null : row.at(position);
    const point = at === null ? null : project(...at);
    if (at === null) nowhere += 1;
    else if (point === null) outside += 1;
    else points.push({ ...point, row: row.of, cells: row.cells() });
  }
  return { points, outside, nowhere };
}

/** The nearest point within a distance, and all points on the same spot. */
export function pointsNear(points: readonly MapPoint[], at: Point, within: number): MapPoint[] {
  let nearest: MapPoint | null = null;
  let best = within;
  for (const point of points) {
    const distance = Math.hypot(point.x - at.x, point.y - at.y);
    if (distance > best) continue;
    best = distance;
    nearest = point;
  }
  return nearest === null ? [] : points.filter(({ x, y }) => x === nearest.x && y === nearest.y);
}

/** A part of the drawing. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Width at the highest zoom: about 40 km. */
const SMALLEST = 25;
const MARGIN = 0.08;

/** The part of the drawing that contains all points, with the same aspect ratio. */
export function boxAround(points: readonly Point[]): Box {
  if (points.length === 0) return { x: 0, y: 0, ...DRAWING };
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    [west, east] = [Math.min(west, x), Math.max(east, x)];
    [north, south] = [Math.min(north, y), Math.max(south, y)];
  }
  const ratio = DRAWING.height / DRAWING.width;
  const width = Math.max((east - west) * (1 + 2 * MARGIN), ((south - north) * (1 + 2 * MARGIN)) / ratio, SMALLEST);
  const height = width * ratio;
  return { x: (west + east - width) / 2, y: (north + south - height) / 2, width, height };
}
