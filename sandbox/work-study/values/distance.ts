/** A position, in degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** Radius of the Earth, in kilometres, with which the service's database measures. */
const EARTH_RADIUS_KM = 6378.1;
const RADIANS = Math.PI / 180;

/** Great-circle distance, in kilometres. */
function distanceKm(from: Position, to: Position): number {
  const deltaLatitude = (to.latitude - from.latitude) * RADIANS;
  const deltaLongitude = (to.longitude - from.longitude) * RADIANS;
  const a =
    Math.sin(deltaLatitude / 2) ** 2 +
    Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS) * Math.sin(deltaLongitude / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(a)));
}

/** The position of a GeoJSON point, whose coordinates are longitude first (work-study 8.1); null for anything else. */
export function positionOf(point: unknown): Position | null {
  if (typeof point !== 'object' || point === null || !('coordinates' in point)) return null;
  const { coordinates } = point;
  if (!Array.isArray(coordinates)) return null;
  const [longitude, latitude]: unknown[] = coordinates;
  return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : null;
}

/** A circle: radius in kilometres. */
export interface Around {
  readonly centre: Position;
  readonly radiusKm: number;
}

/**
 * The items within a circle, nearest first; items without a point are omitted.
 * @param tie order of items at the same distance
 */
export function withinRadius<T>(
  items: Iterable<T>,
  { centre, radiusKm }: Around,
  positionOfItem: (item: T) => Position | null,
  tie: (a: T, b: T) => number = () => 0,
): T[] {
  const found: { item: T; km: number }[] = [];
  for (const item of items) {
    const position = positionOfItem(item);
    // A degree of latitude is over 111 km: this avoids the trigonometry for most of the country.
    if (position === null || Math.abs(position.latitude - centre.latitude) * 111 > radiusKm) continue;
    const km = distanceKm(centre, position);
    if (km <= radiusKm) found.push({ item, km });
  }
  return found.sort((a, b) => a.km - b.km || tie(a.item, b.item)).map(({ item }) => item);
}
