import type { Place } from './geography.js';
import type { Box } from './official-geography.js';

/** A position: longitude, latitude. */
export type Point = readonly [lon: number, lat: number];

/** Whether a position lies in a box. Uses indexes rather than names: this runs a million times. */
export function isInside(box: Box, point: Point): boolean {
  return point[0] >= box[0] && point[0] <= box[2] && point[1] >= box[1] && point[1] <= box[3];
}

/** Returns whether any commune's box, other than invented ones, contains a position. */
export function createBoxGrid(places: readonly Place[]): (point: Point) => boolean {
  const cells = new Map<number, Box[]>();
  for (const { box, boxIsInvented } of places) {
    if (boxIsInvented) continue;
    for (let x = cell(box[0]); x <= cell(box[2]); x++) {
      for (let y = cell(box[1]); y <= cell(box[3]); y++) {
        const boxes = cells.get(x * cellsAround + y);
        if (boxes === undefined) cells.set(x * cellsAround + y, [box]);
        else boxes.push(box);
      }
    }
  }
  return (point) => {
    const boxes = cells.get(cell(point[0]) * cellsAround + cell(point[1])) ?? [];
    return boxes.some((box) => isInside(box, point));
  };
}

/** Cells of half a degree: the largest commune spans a few, and a cell contains about a hundred communes. */
const cell = (degrees: number) => Math.floor((degrees + 180) * 2);
const cellsAround = 720;
