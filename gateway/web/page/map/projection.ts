/** A point of the drawing, in its own units. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle of the drawing for what lies overseas, where the outlines do not reach. */
export interface Inset {
  readonly code: string;
  readonly name: string;
  readonly box: readonly [x: number, y: number, width: number, height: number];
  /** West, south, east, north, in degrees. */
  readonly bounds: readonly [number, number, number, number];
}

/** The drawing: the outlines' own 613 by 585, and a row of insets below. */
export const DRAWING = { width: 613, height: 665 } as const;

const INSET_Y = 590;
const INSET_SIDE = 70;

/** The five overseas départements, each with all its islands. */
export const INSETS: readonly Inset[] = [
  inset(0, '971', 'Guadeloupe', [-61.9, 15.75, -60.95, 16.6]),
  inset(1, '972', 'Martinique', [-61.3, 14.3, -60.7, 14.95]),
  inset(2, '973', 'Guyane', [-54.7, 2, -51.5, 6]),
  inset(3, '974', 'La Réunion', [55.1, -21.5, 55.95, -20.8]),
  inset(4, '976', 'Mayotte', [44.95, -13.1, 45.35, -12.6]),
];

function inset(place: number, code: string, name: string, bounds: Inset['bounds']): Inset {
  return { code, name, box: [20 + place * 118, INSET_Y, INSET_SIDE, INSET_SIDE], bounds };
}

/**
 * Where a position lies in the drawing; null when it lies in none of its parts. The outlines are a Mercator drawing:
 * the three numbers put 99.6 % of 34,739 commune centres into their own département.
 */
export function project(longitude: number, latitude: number): Point | null {
  for (const { box, bounds } of INSETS) {
    const [west, south, east, north] = bounds;
    if (longitude < west || longitude > east || latitude < south || latitude > north) continue;
    const [x, y, width, height] = box;
    return {
      x: x + ((longitude - west) / (east - west)) * width,
      y: y + ((mercator(north) - mercator(latitude)) / (mercator(north) - mercator(south))) * height,
    };
  }
  const x = 2373.5 * radians(longitude) + 215.5;
  const y = 2470 - 2373.5 * mercator(latitude);
  return x >= 0 && x <= 613 && y >= 0 && y <= 585 ? { x, y } : null;
}

function mercator(latitude: number): number {
  return Math.log(Math.tan(Math.PI / 4 + radians(latitude) / 2));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
