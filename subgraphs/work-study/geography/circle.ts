import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { isPlace } from '../../codes/places.js';
import { checkRange, readPosition, together } from '../../graph/arguments.js';
import type { QueryFormationsArgs } from '../__generated__/resolvers.js';
import { type Commune, wholeCommune } from './lazy-commune.js';
import type { GeoPointView } from './shapes.js';

type Radius = number | null | undefined;

/** A circle around a point, as search routes take it; without a radius, the source's default (30 km) applies. */
export interface Circle {
  readonly latitude: number;
  readonly longitude: number;
  readonly radius: Radius;
}

/** The parameters of no circle, in the place of those of one. */
export const ANYWHERE = { latitude: null, longitude: null, radius: null } as const;

type CircleArguments = Pick<QueryFormationsArgs, 'latitude' | 'longitude' | 'radius'>;

/** Radius of the source where none is sent, in kilometres (work-study 7.1). */
export const DEFAULT_RADIUS_KM = 30;
/** Largest radius that the source accepts, in kilometres (work-study 7.1, 7.8 and 7.16). */
const MAX_RADIUS_KM = 200;

/** The circle that the arguments of a search describe; null without a point. Throws `BAD_USER_INPUT`. */
export function readCircle({ latitude, longitude, radius }: CircleArguments): Circle | null {
  const [position] = together(
    () => readPosition({ lat: 'latitude', lon: 'longitude' }, latitude, longitude),
    () => checkRadius(radius),
  );
  return position === null ? null : { latitude: position.lat, longitude: position.lon, radius };
}

function checkRadius(radius: Radius): void {
  checkRange('radius', radius, { min: 0, max: MAX_RADIUS_KM, unit: 'km' });
}

/**
 * What a search finds around a commune's centre; null if that is unknown. Its filter is read before the commune is fetched,
 * so that a caller's mistake costs no call.
 */
export function searchAround<Filter, Found>(
  { commune, radius }: { readonly commune: Commune; readonly radius: Radius },
  readFilter: (readAround: () => null) => Filter,
  search: (filter: Filter, around: Circle) => Awaitable<Found>,
): Awaitable<Found | null> {
  const filter = readFilter(() => {
    checkRadius(radius);
    return null;
  });
  return whenThere(wholeCommune(commune), (whole): Awaitable<Found | null> => {
    const around = circleAt(whole?.localisation?.centre ?? null, radius);
    return around && search(filter, around);
  });
}

/** The circle around a point; null without one. Throws `BAD_USER_INPUT`. */
export function circleAt(geopoint: GeoPointView | null, radius: Radius): Circle | null {
  checkRadius(radius);
  const [longitude, latitude] = geopoint?.coordinates ?? [];
  if (longitude === undefined || latitude === undefined || !isPlace({ lon: longitude, lat: latitude })) return null;
  return { latitude, longitude, radius };
}
