import type { MapFrame } from '../state/tab-memory.js';
import { DRAWING, type Point } from './projection.js';

/** Size of the window in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where the drawing is in its window: `k` pixels per unit, its corner at `x` and `y`. */
export interface Placement extends Point {
  readonly k: number;
}

/** A rectangle of the drawing. */
interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Pixels per unit at the highest zoom: about ten per kilometre, as fine as outlines to 0.1 unit can be. */
export const MAX_SCALE = 120;
/** Pixels around what is fitted, to clear the buttons. */
const MARGIN = { across: 44, down: 28 };
/** Pixels around all of France. */
const WHOLE_MARGIN = { across: 4, down: 4 };
/** Minimum of pixels to draw on, however small the window. */
const LEAST_ROOM = 20;
/** Units that a fitted window spans at least: about 9 km. */
const LEAST_SPAN = 5;
/** Points that span more than this share of the mainland are shown with all of France. */
const SPREAD = 0.45;

const WHOLE: Box = { x: 0, y: 0, ...DRAWING };

/** The scale at which the window holds all of France. */
export function wholeScale(size: Size): number {
  return scaleFor(WHOLE, size, WHOLE_MARGIN);
}

/** Places the drawing so that all points are in view: closely if they are in one region, or else with all of France. */
export function fitPoints(points: readonly Point[], size: Size): Placement {
  const box = boxAround(points);
  if (box === null || Math.max(box.width / DRAWING.width, box.height / DRAWING.height) > SPREAD) {
    return centred(middleOf(WHOLE), wholeScale(size), size);
  }
  return fill(points, size);
}

/** The smallest rectangle around points; null if there are none. */
function boxAround(points: readonly Point[]): Box | null {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    [west, east] = [Math.min(west, x), Math.max(east, x)];
    [north, south] = [Math.min(north, y), Math.max(south, y)];
  }
  return east < west ? null : { x: west, y: north, width: east - west, height: south - north };
}

/** Places the drawing so that points fill the window. */
export function fill(points: readonly Point[], size: Size): Placement {
  const box = boxAround(points) ?? WHOLE;
  return centred(middleOf(box), scaleFor(box, size, MARGIN), size);
}

function scaleFor({ width, height }: Box, size: Size, margin: typeof MARGIN): number {
  const right = Math.max(size.width - 2 * margin.across, LEAST_ROOM);
  const down = Math.max(size.height - 2 * margin.down, LEAST_ROOM);
  return Math.min(right / Math.max(width, LEAST_SPAN), down / Math.max(height, LEAST_SPAN), MAX_SCALE);
}

function middleOf({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

function centred({ x, y }: Point, k: number, { width, height }: Size): Placement {
  return { k, x: width / 2 - x * k, y: height / 2 - y * k };
}

/** Places the drawing as a frame says. */
export function place({ x, y, width }: MapFrame, size: Size): Placement {
  return centred({ x, y }, Math.min(size.width / width, MAX_SCALE), size);
}

/** The frame that a placement shows, to a thousandth of a unit. */
export function frameOf({ k, x, y }: Placement, { width, height }: Size): MapFrame {
  const rounded = (value: number): number => Math.round(value * 1000) / 1000;
  return { x: rounded((width / 2 - x) / k), y: rounded((height / 2 - y) / k), width: rounded(width / k) };
}

/** Whether two placements look the same in a window. */
export function looksLike(one: Placement, other: Placement, size: Size): boolean {
  const [mine, theirs] = [frameOf(one, size), frameOf(other, size)];
  const pixels = Math.hypot(mine.x - theirs.x, mine.y - theirs.y) * one.k;
  return Math.abs(mine.width / theirs.width - 1) < 0.005 && pixels < 2;
}

/** Where a point of the drawing is seen, in pixels of the window. */
export function seenAt({ k, x, y }: Placement, point: Point): Point {
  return { x: x + k * point.x, y: y + k * point.y };
}

/** The point of the drawing that is seen at a place in the window. */
export function pointUnder({ k, x, y }: Placement, seen: Point): Point {
  return { x: (seen.x - x) / k, y: (seen.y - y) / k };
}

/** Whether something at a place would be visible in a window, or within `beyond` pixels of it. */
export function isInView({ x, y }: Point, { width, height }: Size, beyond = 0): boolean {
  return x >= -beyond && y >= -beyond && x <= width + beyond && y <= height + beyond;
}

/** Maximum length of the bar, in pixels. */
const LONGEST = 110;

/** The longest bar that fits, for 1, 2 or 5 times a power of ten kilometres; its length in pixels. */
export function scaleBar(kilometresPerPixel: number) {
  const most = LONGEST * kilometresPerPixel;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [5, 2, 1].find((factor) => factor * power <= most) ?? 1;
  return { kilometres: step * power, length: (step * power) / kilometresPerPixel };
}
