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

const INSET_Y = 592;
const INSET_SIDE = 70;
const INSET_MARGIN = 0.06;

/** The square of the Mercator plane, in degrees of longitude, that an inset shows. */
interface Window {
  readonly west: number;
  readonly north: number;
  readonly span: number;
}

/** The five overseas départements with their islands: outlines by the IGN (Admin Express 2018), to 0.4 units. */
const PLACED = OVERSEAS.map(({ code, name, outlines }, place) => {
  const window = windowAround(outlines.flat());
  const [x, y] = [10 + place * 122, INSET_Y];
  const put = ([longitude = 0, latitude = 0]: readonly number[]): Point => ({
    x: x + ((longitude - window.west) / window.span) * INSET_SIDE,
    y: y + ((window.north - mercator(latitude)) / window.span) * INSET_SIDE,
  });
  const draw = (outline: readonly (readonly number[])[]): string =>
    `M${outline.map((position) => (({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)(put(position))).join('L')}z`;
  return { code, name, x, y, side: INSET_SIDE, path: outlines.map(draw).join(''), window, put };
});

/** The insets of the overseas départements. */
export const INSETS: readonly Inset[] = PLACED;

function windowAround(positions: readonly (readonly number[])[]): Window {
  const [longitudes, heights] = [positions.map(([lon = 0]) => lon), positions.map(([, lat = 0]) => mercator(lat))];
  const [west, east, south, north] = [
    ...[Math.min(...longitudes), Math.max(...longitudes)],
    ...[Math.min(...heights), Math.max(...heights)],
  ] as const;
  const span = Math.max(east - west, north - south) * (1 + 2 * INSET_MARGIN);
  return { west: (west + east - span) / 2, north: (south + north + span) / 2, span };
}

/**
 * Projects a position into the drawing; null if it is outside. The outlines use the Mercator projection: with these
 * constants, 99.6 % of 34,739 commune centres are inside their own département.
 */
export function project(longitude: number, latitude: number): Point | null {
  const height = mercator(latitude);
  for (const { window, put } of PLACED) {
    const [right, down] = [longitude - window.west, window.north - height];
    if (right >= 0 && right <= window.span && down >= 0 && down <= window.span) return put([longitude, latitude]);
  }
  const x = 2373.5 * radians(longitude) + 215.5;
  const y = 2470 - 2373.5 * radians(height);
  return x >= 0 && x <= 613 && y >= 0 && y <= 585 ? { x, y } : null;
}

/** The Mercator ordinate of a latitude, in degrees of longitude at the equator. */
function mercator(latitude: number): number {
  return (Math.log(Math.tan(Math.PI / 4 + radians(latitude) / 2)) * 180) / Math.PI;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
