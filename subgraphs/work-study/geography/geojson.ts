import { list, number, object, required, shape, text, type View } from '../../rest/shape.js';

/** A GeoJSON point: longitude, then latitude (work-study 8.1). */
export const GeoPoint = shape('GeoPoint', {
  type: required(text()),
  coordinates: required(list(number())),
});

/** A GeoJSON polygon: rings of positions (work-study 8.1). */
export const GeoPolygon = shape('GeoPolygon', {
  type: required(text()),
  coordinates: required(list(list(list(number())))),
});

export type GeoPointView = View<typeof GeoPoint>;

/** A point in degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** A field that holds a point. */
export const point = (key?: string) => object(GeoPoint, key);

/** A field that holds a polygon. */
export const polygon = (key?: string) => object(GeoPolygon, key);

/** Longitude and latitude of a point; null where it has none that can be read. */
export function positionOf(geopoint: GeoPointView | null): Position | null {
  const [longitude, latitude] = geopoint?.coordinates ?? [];
  return typeof longitude === 'number' && typeof latitude === 'number' ? { longitude, latitude } : null;
}
