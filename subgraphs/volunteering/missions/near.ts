import { distanceKm, type Position } from '../../codes/distances.js';
import { isView, type QueryParameters } from '../paging.js';
import { nearQuery } from './around.js';
import type { MissionList, MissionQuery } from './client.js';
import type { MissionView } from './shapes.js';

/** Rows of one call. A row may weigh 40 kB, a hundred addresses included (volunteering 11, 21). */
const ROWS = 1_000;
/** Calls that one question may cost. */
const CALLS = 5;

/** A mission and how far it is. */
export interface NearMission {
  readonly id: string;
  readonly mission: MissionView;
  /** Kilometres to its nearest address. */
  readonly distance: number;
}

export interface NearMissions {
  /** Nearest first; at the same distance in the order of identifiers. */
  readonly missions: readonly NearMission[];
  /** Whether the source has more than was read. */
  readonly truncated: boolean;
}

/**
 * The missions within `radiusKm` of a point. The source answers with a box and in an order of its own, so all of it is
 * read (up to a limit), measured and sorted here.
 */
export async function missionsNear(
  { centre, radiusKm, filter }: { centre: Position; radiusKm: number; filter: QueryParameters },
  search: (query: MissionQuery) => Promise<MissionList | null>,
): Promise<NearMissions> {
  const query = [...filter, ...nearQuery(centre, radiusKm)];
  const first = await search({ filter: query, skip: 0, limit: ROWS });
  const total = typeof first?.total === 'number' ? first.total : (first?.rows.length ?? 0);
  const skips = Array.from({ length: Math.min(CALLS, Math.ceil(total / ROWS)) - 1 }, (_, page) => (page + 1) * ROWS);
  const others = await Promise.all(skips.map((skip) => search({ filter: query, skip, limit: ROWS })));
  // Rows move between pages while the service sorts them without a second criterion: each counts once.
  const missions = new Map<string, NearMission>();
  for (const row of [first, ...others].flatMap((page) => page?.rows ?? [])) {
    const near = isView(row) ? measured(row, centre) : null;
    if (near !== null && near.distance <= radiusKm) missions.set(near.id, near);
  }
  return { missions: [...missions.values()].sort(nearestFirst), truncated: total > CALLS * ROWS };
}

function nearestFirst(a: NearMission, b: NearMission): number {
  return a.distance - b.distance || (a.id < b.id ? -1 : 1);
}

/** The mission with its distance; null when nothing says where it is, as for most that are `remote: local` or `full`. */
function measured(mission: MissionView, centre: Position): NearMission | null {
  try {
    const { id } = mission;
    const distances = positionsOf(mission).map((position) => distanceKm(centre, position));
    if (id === null || distances.length === 0) return null;
    const distance = Math.min(...distances);
    return { id, mission: withDistance(mission, distance), distance };
  } catch {
    // What is of a wrong type says nothing of the place; whoever selects it is told.
    return null;
  }
}

function positionsOf(mission: MissionView): Position[] {
  const listed = (mission.addresses ?? []).flatMap((address) =>
    address === null || address instanceof Error ? [] : [address.location],
  );
  const [lon = null, lat = null] = mission.lonlat ?? [];
  const flat = mission.location ?? { lon, lat };
  return [...listed, flat].flatMap((place) => {
    if (place === null || place.lon === null || place.lat === null) return [];
    // (0, 0) is what geocoders write for nothing found, not a place in the Gulf of Guinea.
    return place.lon === 0 && place.lat === 0 ? [] : [{ lon: place.lon, lat: place.lat }];
  });
}

/** The same view, whose `distance` is the true one: the source's own is to the first address (volunteering 3.5). */
function withDistance(mission: MissionView, distance: number): MissionView {
  return Object.create(mission, { distance: { value: distance, enumerable: true } });
}
