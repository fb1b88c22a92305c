import type { LonLat } from '../../../rows/layout.js';
import OVERSEAS from './overseas.json' with { type: 'json' };

/** A point in the drawing, in its own units. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A square of the drawing for an overseas département, which the metropolitan outlines do not include. */
export interface Inset {
  readonly code: string;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly side: number;
  /** SVG path of its coasts and borders. */
  readonly path: string;
}

/** Size of the drawing: 613 by 585 for the outlines, and a row of insets below. */
export const DRAWING = { width: 613, height: 665 } as const;

const MAINLAND_HEIGHT = 585;
const INSET_Y = 592;
const INSET_SIDE = 70;
const INSET_MARGIN = 0.06;

/** A Mercator projection of a part of the drawing, in units per degree of longitude. */
interface Plane {
  /** The point of longitude 0 on the equator. */
  readonly origin: Point;
  readonly scale: number;
}

/** With these constants, 99.6 % of 34,739 commune centres are inside the outline of their own département. */
const MAINLAND: Plane = { origin: { x: 215.5, y: 2470 }, scale: radians(2373.5) };

/** The five overseas départements with their islands: outlines by the IGN (Admin Express 2018), to 0.4 units. */
const PLACED = OVERSEAS.map(({ code, name, outlines }, place) => {
  const [x, y] = [10 + place * 122, INSET_Y];
  const plane = planeAround(outlines.flat(), { x, y });
  const draw = (outline: readonly (readonly number[])[]): string =>
    `M${outline.map(([lon = 0, lat = 0]) => (({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)(put(plane, [lon, lat]))).join('L')}z`;
  return { code, name, x, y, side: INSET_SIDE, path: outlines.map(draw).join(''), plane };
});

/** The insets of the overseas départements. */
export const INSETS: readonly Inset[] = PLACED;

/** The plane on which positions fill the square of an inset. */
function planeAround(positions: readonly (readonly number[])[], { x, y }: Point): Plane {
  const [longitudes, heights] = [positions.map(([lon = 0]) => lon), positions.map(([, lat = 0]) => mercator(lat))];
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const [south, north] = [Math.min(...heights), Math.max(...heights)];
  const span = Math.max(east - west, north - south) * (1 + 2 * INSET_MARGIN);
  const scale = INSET_SIDE / span;
  return { scale, origin: { x: x - ((west + east - span) / 2) * scale, y: y + ((south + north + span) / 2) * scale } };
}

function put({ origin, scale }: Plane, [longitude, latitude]: LonLat): Point {
  return { x: origin.x + scale * longitude, y: origin.y - scale * mercator(latitude) };
}

/** Projects a position into the drawing; null if it is outside. */
export function project(longitude: number, latitude: number): Point | null {
  for (const inset of PLACED) {
    const point = put(inset.plane, [longitude, latitude]);
    if (isInside(inset, point)) return point;
  }
  const { x, y } = put(MAINLAND, [longitude, latitude]);
  return x >= 0 && x <= DRAWING.width && y >= 0 && y <= MAINLAND_HEIGHT ? { x, y } : null;
}

function isInside({ x, y, side }: Inset, point: Point): boolean {
  return point.x >= x && point.x <= x + side && point.y >= y && point.y <= y + side;
}

/** Whether a point of the drawing is in the strip of insets. */
export function isOverseas({ y }: Point): boolean {
  return y > MAINLAND_HEIGHT;
}

/** Projects positions onto the plane that contains the given one, even beyond the edge of its part of the drawing. */
export function projectionNear([longitude, latitude]: LonLat): (position: LonLat) => Point {
  const inset = PLACED.find(({ plane, ...square }) => isInside(square, put(plane, [longitude, latitude])));
  return (position) => put(inset?.plane ?? MAINLAND, position);
}

/** Kilometres per unit of the drawing at one of its points. */
export function kilometresPerUnit(point: Point): number {
  const { origin, scale } = PLACED.find((inset) => isInside(inset, point))?.plane ?? MAINLAND;
  const latitude = 2 * Math.atan(Math.exp(radians((origin.y - point.y) / scale))) - Math.PI / 2;
  return (radians(EARTH_KM) * Math.cos(latitude)) / scale;
}

/** Mean radius. */
export const EARTH_KM = 6371.0088;

/** The Mercator ordinate of a latitude, in degrees of longitude at the equator. */
function mercator(latitude: number): number {
  return (Math.log(Math.tan(Math.PI / 4 + radians(latitude) / 2)) * 180) / Math.PI;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
