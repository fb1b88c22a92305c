/** Places on the sphere: distances, and the cells of a grid that a circle touches. */
import { boundingBox, type Position } from '../../codes/places.js';

/** Radius of the sphere on which distances are measured, as everywhere (volunteering 3.5). */
const EARTH_RADIUS_KM = 6371;
const DEGREES = Math.PI / 180;

/** A position as a point on the unit sphere: comparing distances then takes three multiplications. */
export function pointOnSphere({ lon, lat }: Position) {
  const radius = Math.cos(lat * DEGREES);
  return { x: radius * Math.cos(lon * DEGREES), y: radius * Math.sin(lon * DEGREES), z: Math.sin(lat * DEGREES) };
}

/** The square of the chord of a distance, on the unit sphere. */
export function squaredChordOf(km: number): number {
  return (2 * Math.sin(Math.min(km / EARTH_RADIUS_KM, Math.PI) / 2)) ** 2;
}

/** The distance of a squared chord, in kilometres. */
export function kmOf(squaredChord: number): number {
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(squaredChord) / 2));
}

/** Cells of level `n` have 180 / 2^n degrees in both directions: from 1,250 km to 1.2 km from north to south. */
const LEVELS = [4, 6, 8, 10, 12, 14] as const;
/** So many cells cover a circle at most: each is looked at for each row that is found. */
const MAX_CELLS = 16;

/** The terms of the cells that a position is in. */
export function cellTerms({ lon, lat }: Position): string[] {
  return LEVELS.map((level) => cellTerm(level, rowAt(level, lat), columnAt(level, lon)));
}

/** Terms of cells that together contain a circle; null for one that is too large, or that has a pole or the date line in it. */
export function cellsAround(centre: Position, km: number): string[] | null {
  // Rounding must not leave out what lies on the circle.
  const { minLat, maxLat, minLon, maxLon } = boundingBox(centre, km + 1e-4);
  if (minLon <= -180 || maxLon >= 180) return null;
  for (const level of LEVELS.toReversed()) {
    const [south, north] = [rowAt(level, minLat), rowAt(level, maxLat)];
    const [west, east] = [columnAt(level, minLon), columnAt(level, maxLon)];
    if ((north - south + 1) * (east - west + 1) > MAX_CELLS) continue;
    const rows = Array.from({ length: north - south + 1 }, (_, place) => south + place);
    const columns = Array.from({ length: east - west + 1 }, (_, place) => west + place);
    return rows.flatMap((row) => columns.map((column) => cellTerm(level, row, column)));
  }
  return null;
}

function cellTerm(level: number, row: number, column: number): string {
  return `_g${level}_${row}_${column}`;
}

function rowAt(level: number, lat: number): number {
  return Math.floor(((lat + 90) / 180) * 2 ** level);
}

function columnAt(level: number, lon: number): number {
  return Math.floor(((lon + 180) / 180) * 2 ** level);
}
