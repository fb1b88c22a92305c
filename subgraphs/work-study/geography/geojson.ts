import { type Field, object, required, shape, text, type View, wrongType } from '../../rest/responses/shape.js';

/** A point in degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** A GeoJSON point: longitude, then latitude (work-study 8.1). */
const GeoPoint = shape('GeoPoint', {
  type: required(text()),
  coordinates: required(whole(isPosition, 'a list of numbers')),
});

/** A GeoJSON polygon: rings of positions (work-study 8.1). */
const GeoPolygon = shape('GeoPolygon', {
  type: required(text()),
  coordinates: required(whole(isListOf(isListOf(isPosition)), 'rings of positions')),
});

/** A point as sent; `coordinates` are longitude, then latitude. */
export type GeoPointView = View<typeof GeoPoint>;

/** A field that holds a point. */
export const point = (key?: string) => object(GeoPoint, key);

/** A field that holds a polygon. */
export const polygon = (key?: string) => object(GeoPolygon, key);

/** Longitude and latitude of a point; null without one. */
export function positionOf(geopoint: GeoPointView | null): Position | null {
  const [longitude, latitude] = geopoint?.coordinates ?? [];
  return longitude === undefined || latitude === undefined ? null : { longitude, latitude };
}

/** Coordinates are one value: if any part is wrong, so is the whole, because the graph cannot express the gap. */
function whole<T>(is: (value: unknown) => value is T, expected: string): Field<T> {
  return {
    read(value, place, origin) {
      if (!is(value)) throw wrongType(expected, place, origin);
      return value;
    },
  };
}

function isPosition(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((part) => Number.isFinite(part));
}

function isListOf<T>(is: (value: unknown) => value is T): (value: unknown) => value is T[] {
  return (value): value is T[] => Array.isArray(value) && value.every(is);
}
