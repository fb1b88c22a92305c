/** Mean radius of the Earth in kilometres, as the service uses it (volunteering 3.3, 3.5). */
const EARTH_RADIUS_KM = 6371;

/** Kilometres per degree of latitude, as the service's rectangle uses it (volunteering 3.3). */
const KM_PER_DEGREE = 111.32;

/** A position on the Earth, in degrees. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** A latitude/longitude rectangle, edges included. */
export interface Box {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

/**
 * Kilometres that today's service reads from `distance` (volunteering 3.3): only the leading integer counts, a
 * lower-case `m` that is not `km` means metres, zero kilometres means 10, and anything that is not a number means 50.
 */
export function distanceToday(text: string | undefined): number {
  const amount = Number.parseInt(text ?? '', 10);
  if (Number.isNaN(amount)) return 50;
  if (text?.endsWith('m') && !text.endsWith('km')) return amount / 1000;
  return amount === 0 ? 10 : amount;
}

/** Kilometres that the seed's service reads: a bare number, or one followed by `m` or `km` (volunteering 12.4.2). */
export function distanceOfSeed(text: string | undefined): number {
  const match = /^(\d+(?:\.\d+)?)\s*(m|km)?$/.exec(text?.trim() ?? '');
  if (match === null) return 50;
  return Number(match[1]) / (match[2] === 'm' ? 1000 : 1);
}

/** The rectangle that today's service searches instead of a circle: its corners are 1.41 times as far (3.3). */
export function boxAround(centre: Point, km: number): Box {
  const latitudes = km / KM_PER_DEGREE;
  const longitudes = km / (KM_PER_DEGREE * Math.cos(radians(centre.lat)));
  return {
    south: centre.lat - latitudes,
    north: centre.lat + latitudes,
    west: centre.lon - longitudes,
    east: centre.lon + longitudes,
  };
}

/** Whether a point is inside a box. */
export function isInside(box: Box, point: Point): boolean {
  return point.lat >= box.south && point.lat <= box.north && point.lon >= box.west && point.lon <= box.east;
}

/** Great-circle distance in kilometres, by the haversine formula and unrounded (volunteering 3.5). */
export function greatCircleKm(from: Point, to: Point): number {
  const latitude = Math.sin(radians(to.lat - from.lat) / 2);
  const longitude = Math.sin(radians(to.lon - from.lon) / 2);
  const a = latitude ** 2 + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * longitude ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, a)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
