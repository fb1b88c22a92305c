import { ROWS_OF_A_STEP } from '../../../rows/layout.js';
import type { Steps } from '../../../rows/steps.js';
import { formatNumber } from '../elements/format.js';
import { memoized } from '../state/store.js';
import { PALETTE, REST } from './colours.js';
import { isInView, type Placement, pointUnder, type Size, seenAt } from './frame.js';
import type { MapPoint } from './points.js';
import type { Point } from './projection.js';

/** Points that are drawn as one mark: a single one, or several so close together that they would overlap. */
export interface Mark extends Point {
  readonly points: readonly MapPoint[];
}

/** Pixels within which points become one mark, up to the next level. */
const CELL = 34;
/** Share of a cell within which the marks of neighbouring cells become one. */
const NEAR = 0.8;
/** More than the number of columns of cells. */
const COLUMNS = 2 ** 20;

/** The level of a scale; marks stay the same until the map is enlarged by half. */
function levelOf(scale: number): number {
  return Math.floor(2 * Math.log2(scale));
}

/** The part of the drawing whose points are grouped into marks: the window, with room on each side to change seldom. */
interface MarkedPart {
  readonly level: number;
  /** Column and row in a grid of windows, of the size that they have at this level. */
  readonly column: number;
  readonly row: number;
}

/** The part around what is in view. */
export function partInView(placement: Placement, { width, height }: Size): MarkedPart {
  const level = levelOf(placement.k);
  const middle = pointUnder(placement, { x: width / 2, y: height / 2 });
  const scale = scaleOf(level);
  return { level, column: Math.round((middle.x * scale) / width), row: Math.round((middle.y * scale) / height) };
}

function scaleOf(level: number): number {
  return 2 ** (level / 2);
}

/** From the middle of a part to its edge, in windows. */
const HALF_PART = 1.5;

/** Groups the points of a part into marks, in steps. */
export function* markSteps(
  points: readonly MapPoint[],
  { level, column, row }: MarkedPart,
  { width, height }: Size,
): Steps<readonly Mark[]> {
  const scale = scaleOf(level);
  const cell = CELL / scale;
  const [halfWidth, halfHeight] = [(HALF_PART * width) / scale, (HALF_PART * height) / scale];
  const [x, y] = [(column * width) / scale, (row * height) / scale];
  const cells = new Map<number, MapPoint[]>();
  for (const [index, point] of points.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    if (Math.abs(point.x - x) > halfWidth || Math.abs(point.y - y) > halfHeight) continue;
    const key = keyOf(point, cell);
    const known = cells.get(key);
    if (known === undefined) cells.set(key, [point]);
    else known.push(point);
  }
  const groups = new Map<number, Mark>();
  for (const [key, members] of cells) {
    if (groups.size % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    groups.set(key, { ...meanOf(members), points: members });
  }
  return yield* mergeSteps(groups, cell);
}

/** Merges marks that are close to each other across a border between cells, into the larger one. */
function* mergeSteps(groups: Map<number, Mark>, cell: number): Steps<readonly Mark[]> {
  const marks: Mark[] = [];
  const bySize = [...groups.entries()].sort((one, other) => other[1].points.length - one[1].points.length);
  for (const [index, [key, mark]] of bySize.entries()) {
    if (index % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield;
    if (!groups.delete(key)) continue;
    const near = NEIGHBOURS.flatMap((step) => {
      const other = groups.get(key + step);
      if (other === undefined || Math.hypot(other.x - mark.x, other.y - mark.y) > NEAR * cell) return [];
      groups.delete(key + step);
      return other.points;
    });
    if (near.length === 0) marks.push(mark);
    else {
      const members = [...mark.points, ...near];
      marks.push({ ...meanOf(members), points: members });
    }
  }
  return marks;
}

const NEIGHBOURS = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => down * COLUMNS + right)).filter(Boolean);

function keyOf({ x, y }: Point, cell: number): number {
  return Math.floor(y / cell) * COLUMNS + Math.floor(x / cell);
}

function meanOf(points: readonly Point[]): Point {
  const [first] = points;
  if (points.length === 1 && first !== undefined) return { x: first.x, y: first.y };
  let [x, y] = [0, 0];
  for (const point of points) {
    x += point.x;
    y += point.y;
  }
  return { x: x / points.length, y: y / points.length };
}

/** Whether all points of a mark are at one spot, so that no zoom separates them. */
export function isOneSpot({ points }: Mark): boolean {
  return points.every(({ x, y }) => x === points[0]?.x && y === points[0].y);
}

/** A mark in the window. */
export interface SeenMark {
  readonly mark: Mark;
  /** Pixels of the window. */
  readonly at: Point;
  readonly radius: number;
}

/** The radius in pixels of a mark of this many points. */
function radiusOf(count: number): number {
  return count === 1 ? 3.5 : 8 + 3.2 * Math.log10(count);
}

/** The marks that are in view. */
export function seenMarks(marks: readonly Mark[], placement: Placement, size: Size): SeenMark[] {
  const seen: SeenMark[] = [];
  for (const mark of marks) {
    const at = seenAt(placement, mark);
    if (isInView(at, size, BEYOND)) seen.push({ mark, at, radius: radiusOf(mark.points.length) });
  }
  return seen;
}

const BEYOND = 30;
/** Pixels around a mark that still count as the mark. */
const REACH = 6;

/** The mark at a place in the window, or the nearest one within reach; null if there is none. */
export function markAt(seen: readonly SeenMark[], { x, y }: Point): SeenMark | null {
  let [nearest, best]: [SeenMark | null, number] = [null, REACH];
  for (const one of seen) {
    const distance = Math.hypot(one.at.x - x, one.at.y - y) - one.radius;
    if (distance > best) continue;
    best = distance;
    nearest = one;
  }
  return nearest;
}

/** The marks in view: single points as dots, several points as a disc with their number and a ring of their colours. */
export function MarkShapes({ seen, isColoured }: { seen: readonly SeenMark[]; isColoured: boolean }) {
  const single = seen.filter(({ mark }) => mark.points.length === 1);
  const several = seen.filter(({ mark }) => mark.points.length > 1);
  const dots = pathsByColour(single.map(({ mark, at }) => [mark.points[0]?.colour ?? 0, dot(at)]));
  const arcs = pathsByColour(several.flatMap((one) => ringOf(one, isColoured)));
  return (
    <g className="pa-points">
      {dots.map(({ colour, d }) => (
        <path key={colour} className="pa-dots" stroke={PALETTE[colour]} d={d} />
      ))}
      <path className="pa-discs" d={several.map(({ at, radius }) => circle(at, radius)).join('')} />
      {arcs.map(({ colour, d }) => (
        <path key={colour} className="pa-ring" stroke={PALETTE[colour]} d={d} />
      ))}
      {several.map(({ mark, at }, index) => (
        // Elements are reused for different marks: creating hundreds of new ones takes longer than a frame.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <text key={index} x={at.x.toFixed(1)} y={(at.y + 3.5).toFixed(1)}>
          {numberOf(mark)}
        </text>
      ))}
    </g>
  );
}

/** Short enough for the disc: `999`, `1.2k`, `12k`. */
function numberOf({ points: { length } }: Mark): string {
  return length < 1_000 ? formatNumber(length) : `${formatNumber(length / 1000, length < 9_950 ? 1 : 0)}k`;
}

/** One path per colour, so that there are few elements. The rest comes first, so as not to cover the other colours. */
function pathsByColour(parts: readonly (readonly [colour: number, d: string])[]): { colour: number; d: string }[] {
  const paths = new Map<number, string>();
  for (const [colour, d] of parts) paths.set(colour, (paths.get(colour) ?? '') + d);
  return [...paths]
    .map(([colour, d]) => ({ colour, d }))
    .sort((one, other) => Number(other.colour === REST) - Number(one.colour === REST));
}

/** Width of the ring around a disc, in pixels, as in the style sheet. */
const RING = 4;

/** The arcs of a ring, one for each colour, in proportion to its points. */
function ringOf({ mark, at, radius }: SeenMark, isColoured: boolean): [colour: number, d: string][] {
  const middle = radius - RING / 2;
  const shares = isColoured ? sharesOf(mark) : ONE_COLOUR;
  return shares.map(({ colour, from, to }) => [
    colour,
    to - from > WHOLE ? circle(at, middle) : arc(at, middle, from, to),
  ]);
}

/** A share of a ring from which it is drawn as whole. */
const WHOLE = 0.999;

/** The part of a ring that a colour takes, clockwise from the top, 0 to 1. */
interface Share {
  readonly colour: number;
  readonly from: number;
  readonly to: number;
}

const ONE_COLOUR: readonly Share[] = [{ colour: 0, from: 0, to: 1 }];

/** The shares of a mark, which is drawn in many frames. */
const sharesOf = memoized((mark: Mark): readonly Share[] => {
  const counts = new Map<number, number>();
  for (const { colour } of mark.points) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  let to = 0;
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([colour, count]): Share => {
      const from = to;
      to += count / mark.points.length;
      return { colour, from, to };
    });
});

/** A line of zero length with round caps. */
function dot({ x, y }: Point): string {
  return `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
}

function circle({ x, y }: Point, radius: number): string {
  const [r, across] = [radius.toFixed(1), (2 * radius).toFixed(1)];
  return `M${(x - radius).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 1 ${across} 0a${r} ${r} 0 1 1 -${across} 0`;
}

function arc(middle: Point, radius: number, from: number, to: number): string {
  const place = (share: number): string => {
    const angle = 2 * Math.PI * share;
    return `${(middle.x + radius * Math.sin(angle)).toFixed(1)} ${(middle.y - radius * Math.cos(angle)).toFixed(1)}`;
  };
  return `M${place(from)}A${radius.toFixed(1)} ${radius.toFixed(1)} 0 ${to - from > 0.5 ? 1 : 0} 1 ${place(to)}`;
}
