import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { isPlace } from '../../codes/places.js';
import { checkRange, readPosition, together } from '../../graph/arguments.js';
import type { QueryFormationsArgs } from '../__generated__/resolvers.js';
import { type LazyCommune, wholeCommune } from './lazy-commune.js';
import type { CommuneView, GeoPointView } from './shapes.js';

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

/** The circle of a search whose centre is found later: null, once its radius has been checked. */
export function uncentred({ radius }: Pick<CircleArguments, 'radius'>): null {
  checkRadius(radius);
  return null;
}

function checkRadius(radius: Radius): void {
  checkRange('radius', radius, { min: 0, max: MAX_RADIUS_KM, unit: 'km' });
}

/** The circle around a commune's centre; null if its centre is unknown. */
export function circleAround(commune: CommuneView | LazyCommune, radius: Radius): Awaitable<Circle | null> {
  checkRadius(radius);
  return whenThere(wholeCommune(commune), (whole) => circleAt(whole?.localisation?.centre ?? null, radius));
}

/** The circle around a point; null without one. */
export function circleAt(geopoint: GeoPointView | null, radius: Radius): Circle | null {
  checkRadius(radius);
  const [longitude, latitude] = geopoint?.coordinates ?? [];
  if (longitude === undefined || latitude === undefined || !isPlace({ lon: longitude, lat: latitude })) return null;
  return { latitude, longitude, radius };
}
