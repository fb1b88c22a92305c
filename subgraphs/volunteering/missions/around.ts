import { boundingBox, type Position } from '../../codes/distances.js';
import { badUserInput, checkRange, readPosition } from '../../graph/arguments.js';
import type { QueryParameters } from '../lists/paging.js';

/** Half the circumference of the earth: nothing is farther away. */
const FARTHEST_KM = 20_016;
/** Kilometres in a degree, by which today's service draws its box (volunteering 3.3). */
const BOX_KM_PER_DEGREE = 111.32;

interface Around {
  readonly lat?: number | null | undefined;
  readonly lon?: number | null | undefined;
  readonly distance?: number | null | undefined;
  readonly sortBy?: 'CREATED_AT' | 'LOCALISATION' | null | undefined;
}

/** The centre of a search; null without one. Throws `BAD_USER_INPUT` for coordinates out of range. */
export function pointOf({ lat, lon }: Around): Position | null {
  return readPosition({ lat: 'lat', lon: 'lon' }, lat, lon);
}

/** The geographic part of a search and its order. Throws `BAD_USER_INPUT` if a distance or order lacks its point. */
export function aroundQuery(around: Around): QueryParameters {
  const { distance, sortBy } = around;
  const centre = pointOf(around);
  checkRange('distance', distance, { min: 0, max: FARTHEST_KM, unit: 'km' });
  if (centre === null && (distance ?? null) !== null) throw badUserInput('distance', 'needs lat and lon');
  if (centre === null && sortBy === 'LOCALISATION') throw badUserInput('sortBy', 'LOCALISATION needs lat and lon');
  return [
    ...(centre === null ? [] : pointQuery(centre)),
    ...((distance ?? null) === null ? [] : [['distance', writeDistance(distance ?? 0)] as const]),
    ...(sortBy ? [['sortBy', sortBy === 'CREATED_AT' ? 'createdAt' : 'localisation'] as const] : []),
  ];
}

/** A search that covers everything within `radiusKm` of the centre and a little more; nearest first where sorted. */
export function nearQuery(centre: Position, radiusKm: number): QueryParameters {
  return [
    ...pointQuery(centre),
    ['distance', writeDistance(coveringDistance(centre, radiusKm))],
    ['sortBy', 'localisation'],
  ];
}

/** A coordinate of exactly 0 switches the geographic filter off (volunteering 2.1), so it is moved by 0.1 mm. */
function pointQuery({ lat, lon }: Position): QueryParameters {
  const write = (degrees: number): string => (degrees === 0 ? '0.000000001' : String(degrees));
  return [
    ['lat', write(lat)],
    ['lon', write(lon)],
  ];
}

/**
 * Whole kilometres as `10km`; anything else in metres, because today's service reads only a leading integer: `10.5km`
 * would be ten. Never zero: it reads `0km` as ten kilometres, and older versions `0m` as fifty (volunteering 3.3).
 */
export function writeDistance(km: number): string {
  if (Number.isInteger(km) && km > 0) return `${km}km`;
  // Rounded up, so that nothing within the distance is lost, but not for a mere floating-point error.
  return `${Math.max(1, Math.ceil(Number((km * 1000).toFixed(3))))}m`;
}

/**
 * The distance whose box contains the whole circle: today's service draws its box with 111.32 km to the degree,
 * slightly smaller than the circle.
 */
function coveringDistance(centre: Position, radiusKm: number): number {
  const { maxLat, maxLon } = boundingBox(centre, radiusKm);
  const lonReach = (maxLon - centre.lon) * Math.cos((centre.lat * Math.PI) / 180);
  return Math.max(radiusKm, (maxLat - centre.lat) * BOX_KM_PER_DEGREE, lonReach * BOX_KM_PER_DEGREE);
}
