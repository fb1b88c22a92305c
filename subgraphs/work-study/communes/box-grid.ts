import { type Box, boxContains, type Position } from '../../codes/distances.js';

/** Finds the items whose boxes contain a position. */
export interface BoxGrid<T> {
  /** Items whose box contains the position, including its edges, in input order. */
  at(position: Position): T[];
}

/** Cells of 0.1 degree: a French commune touches about four of them, a cell about five communes. */
const CELLS_PER_DEGREE = 10;
const ROW = 360 * CELLS_PER_DEGREE + 1;

/** Sorts boxes into the cells they touch, so that a look-up tests a handful of them instead of 35,000. */
export function createBoxGrid<T extends { readonly box: Box | null }>(given: Iterable<T>): BoxGrid<T> {
  const items = [...given];
  const touched: number[] = [];
  for (const [place, { box }] of items.entries()) {
    if (box === null) continue;
    for (const cell of cellsOf(box)) touched.push(cell * items.length + place);
  }
  // One number per cell and box: a list per cell would take four times as much memory.
  const sorted = Float64Array.from(touched).sort();
  return {
    at(position) {
      const first = cell(column(position.lon), line(position.lat)) * items.length;
      const found: T[] = [];
      for (let at = firstNotBelow(first, sorted); (sorted[at] ?? Number.NaN) < first + items.length; at++) {
        const item = items[(sorted[at] ?? 0) - first];
        if (item !== undefined && item.box !== null && boxContains(item.box, position)) found.push(item);
      }
      return found;
    },
  };
}

/** Index of this number in ascending numbers, or of where it would be. */
function firstNotBelow(number: number, sorted: Float64Array): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* cellsOf(box: Box): Generator<number> {
  const lastColumn = column(box.maxLon);
  const lastLine = line(box.maxLat);
  for (let y = line(box.minLat); y <= lastLine; y++) {
    for (let x = column(box.minLon); x <= lastColumn; x++) yield cell(x, y);
  }
}

function column(lon: number): number {
  return Math.floor((lon + 180) * CELLS_PER_DEGREE);
}

function line(lat: number): number {
  return Math.floor((lat + 90) * CELLS_PER_DEGREE);
}

function cell(x: number, y: number): number {
  return y * ROW + x;
}
