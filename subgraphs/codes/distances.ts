/** A position in degrees. */
export interface Position {
  readonly lon: number;
  readonly lat: number;
}

/** Whether a position can be that of a place. Services and geocoders write (0, 0) when they know none. */
export function isPlace({ lon, lat }: Position): boolean {
  return (lon !== 0 || lat !== 0) && Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
}

/** A rectangle in degrees. */
export interface Box {
  readonly minLon: number;
  readonly minLat: number;
  readonly maxLon: number;
  readonly maxLat: number;
}

/** Radius of the sphere on which the services measure (volunteering 3.5). */
const EARTH_RADIUS_KM = 6371;

/** Great-circle distance between two positions in kilometres (haversine). */
export function distanceKm(from: Position, to: Position): number {
  const halfLat = radians(to.lat - from.lat) / 2;
  const halfLon = radians(to.lon - from.lon) / 2;
  const chord =
    Math.sin(halfLat) ** 2 + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * Math.sin(halfLon) ** 2;
  // Rounding may push the chord of antipodes above 1, where the arc sine is undefined.
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, chord)));
}

/**
 * The smallest rectangle that holds every position within `radiusKm` of the centre. Near a pole it spans all
 * longitudes. It does not wrap at the 180th meridian: `minLon` may be below -180 and `maxLon` above 180.
 */
export function boundingBox(centre: Position, radiusKm: number): Box {
  const angle = radiusKm / EARTH_RADIUS_KM;
  const latReach = degrees(angle);
  const ratio = Math.sin(angle) / Math.cos(radians(centre.lat));
  const holdsPole = Math.abs(centre.lat) + latReach >= 90;
  const lonReach = holdsPole || ratio >= 1 ? 180 : degrees(Math.asin(ratio));
  return {
    minLon: centre.lon - lonReach,
    minLat: Math.max(-90, centre.lat - latReach),
    maxLon: centre.lon + lonReach,
    maxLat: Math.min(90, centre.lat + latReach),
  };
}

/** Whether the position lies in the rectangle, including its edges. */
export function boxContains(box: Box, { lon, lat }: Position): boolean {
  return box.minLon <= lon && lon <= box.maxLon && box.minLat <= lat && lat <= box.maxLat;
}

/** The middle of a rectangle. */
export function boxCentre(box: Box): Position {
  return { lon: (box.minLon + box.maxLon) / 2, lat: (box.minLat + box.maxLat) / 2 };
}

function radians(angle: number): number {
  return (angle * Math.PI) / 180;
}

function degrees(angle: number): number {
  return (angle * 180) / Math.PI;
}
