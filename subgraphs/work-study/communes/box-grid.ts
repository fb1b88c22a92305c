import { type Box, boxContains, type Position } from '../../codes/distances.js';

/** Which items have a box around a position. */
export interface BoxGrid<T> {
  /** Items whose box contains the position, edges included, in input order. */
  at(position: Position): T[];
}

/** Cells of 0.1 degree: a French commune lies in about four, a cell holds about five communes. */
const CELLS_PER_DEGREE = 10;
const ROW = 360 * CELLS_PER_DEGREE + 1;

/** Sorts boxes into the cells they touch, so that a look-up tests a handful of them instead of 35,000. */
export function createBoxGrid<T extends { readonly box: Box | null }>(items: Iterable<T>): BoxGrid<T> {
  const cells = new Map<number, T[]>();
  for (const item of items) {
    if (item.box === null) continue;
    for (const cell of cellsOf(item.box)) {
      const there = cells.get(cell);
      if (there === undefined) cells.set(cell, [item]);
      else there.push(item);
    }
  }
  // A list that has grown has room for as many again.
  for (const [cell, there] of cells) cells.set(cell, there.slice());
  return {
    at: (position) =>
      (cells.get(cell(column(position.lon), line(position.lat))) ?? []).filter(
        ({ box }) => box !== null && boxContains(box, position),
      ),
  };
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
