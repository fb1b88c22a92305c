import { useCallback, useMemo } from 'react';
import type { LonLat } from '../../../rows/layout.js';
import { isObject, type Json, type JsonObject } from '../../../rows/path.js';
import { readPlace } from '../../questions/question.js';
import { useAwaited } from '../elements/effects.js';
import { sendQuery } from '../request/send-query.js';
import type { QueryResult } from '../state/query-result.js';
import { EARTH_KM, type Point, projectionNear } from './projection.js';

/** Where a question searched. */
export interface Search {
  readonly kilometres: number;
  /** Whether that is half the side of a square, which is how the volunteering service searches. */
  readonly isSquare: boolean;
}

function isLonLat(value: unknown): value is LonLat {
  return Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'number');
}

/** How many points of a circle are drawn. */
const CORNERS = 72;

/** The line around a search in the drawing. */
export function lineAround(centre: LonLat, { kilometres, isSquare }: Search): Point[] {
  const [longitude, latitude] = centre;
  const toDrawing = projectionNear(centre);
  const up = degrees(kilometres / EARTH_KM);
  const across = up / Math.cos((latitude * Math.PI) / 180);
  if (isSquare) {
    const corners = [
      [-1, -1],
      [-1, 1],
      [1, 1],
      [1, -1],
    ] as const;
    return corners.map(([east, north]) => toDrawing([longitude + east * across, latitude + north * up]));
  }
  return Array.from({ length: CORNERS }, (_, corner) =>
    toDrawing(towards(centre, kilometres, (360 * corner) / CORNERS)),
  );
}

/** The position at a distance along a great circle, in a direction measured from north. */
function towards([longitude, latitude]: LonLat, kilometres: number, direction: number): LonLat {
  const [angle, bearing, from] = [kilometres / EARTH_KM, (direction * Math.PI) / 180, (latitude * Math.PI) / 180];
  const sine = Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(bearing);
  const east = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * sine,
  );
  return [longitude + degrees(east), degrees(Math.asin(sine))];
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}

/** Where a question searched, with a line around it once its centre is known. */
export function useSearchAreas({ asked }: Pick<QueryResult, 'asked'>) {
  const [value = ''] = asked?.question.criteria['place'] ?? [];
  const place = readPlace(value);
  const { kind = '', code = '', radius = 0 } = place ?? {};
  const isNear = kind === 'commune' && Number(radius) > 0;
  // One call at most, cached for a day. Missions are measured from the official extent's middle, offers and courses from here.
  const find = useCallback(async () => (isNear ? centreOnce(code) : null), [isNear, code]);
  const centre = useAwaited(find) ?? null;
  return useMemo(() => {
    const search: Search | null = isNear ? { kilometres: Number(radius), isSquare: false } : null;
    return { search, lines: search === null || centre === null ? [] : [lineAround(centre, search)] };
  }, [isNear, radius, centre]);
}

const QUERY =
  'query CentreOfCommune($insee: INSEECode!) { commune(insee: $insee) { localisation { centre { coordinates } } } }';

/** Centres that were requested before, by code. */
const centres = new Map<string, Promise<LonLat | null>>();
/** Beyond this number, the oldest are dropped. */
const MAX_CENTRES = 50;

/** The centre of a commune; null if it is not known. */
function centreOnce(insee: string): Promise<LonLat | null> {
  const reading = centres.get(insee) ?? centreOfCommune(insee);
  centres.set(insee, reading);
  for (const oldest of [...centres.keys()].slice(0, -MAX_CENTRES)) centres.delete(oldest);
  return reading;
}

/** Null if it cannot be fetched: the map then has no circle. */
async function centreOfCommune(insee: string): Promise<LonLat | null> {
  try {
    const { response } = await sendQuery({ query: QUERY, variables: { insee } }, { isAnonymous: true });
    let at: Json | undefined = response.data;
    for (const step of ['commune', 'localisation', 'centre', 'coordinates'])
      at = isObject(at ?? null) ? (at as JsonObject)[step] : null;
    if (!isLonLat(at)) centres.delete(insee);
    return isLonLat(at) ? at : null;
  } catch {
    centres.delete(insee);
    return null;
  }
}
