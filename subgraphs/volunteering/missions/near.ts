import { type Awaitable, whenThere } from '../../../schema/is-promise.js';
import type { Position } from '../../codes/distances.js';
import { isView, type QueryParameters } from '../lists/paging.js';
import { nearQuery } from './around.js';
import type { MissionList, MissionQuery } from './client.js';
import { type NearestAddress, nearestAddress } from './nearest-address.js';
import type { MissionView } from './shapes.js';

/** Rows of one call. A row may have 40 kB, a hundred addresses included (volunteering 8). */
const ROWS = 1_000;
/** Most calls for one query. */
const CALLS = 5;

/** A mission with its nearest address, and how far that is. */
export interface NearMission extends NearestAddress {
  readonly id: string;
  readonly mission: MissionView;
}

interface NearMissions {
  /** Nearest first, then by identifier. */
  readonly missions: readonly NearMission[];
  /** Whether the source has more than was read. */
  readonly truncated: boolean;
}

/**
 * The missions within `radiusKm` of a point. The source answers with a box and in its own order, so all of it is
 * read (up to a limit), measured and sorted here.
 */
export function missionsNear(
  { centre, radiusKm, filter }: Around,
  search: (query: MissionQuery) => Awaitable<MissionList | null>,
): Awaitable<NearMissions> {
  const query = [...filter, ...nearQuery(centre, radiusKm)];
  return whenThere(search({ filter: query, skip: 0, limit: ROWS }), (first) => {
    const total = typeof first?.total === 'number' ? first.total : (first?.rows.length ?? 0);
    const pages = Math.min(CALLS, Math.ceil(total / ROWS));
    if (pages <= 1) return nearestOf([first], total, { centre, radiusKm });
    const skips = Array.from({ length: pages - 1 }, (_, page) => (page + 1) * ROWS);
    const others = skips.map(async (skip) => search({ filter: query, skip, limit: ROWS }));
    return Promise.all(others).then((rest) => nearestOf([first, ...rest], total, { centre, radiusKm }));
  });
}

interface Around {
  readonly centre: Position;
  readonly radiusKm: number;
  readonly filter: QueryParameters;
}

function nearestOf(
  pages: readonly (MissionList | null)[],
  total: number,
  { centre, radiusKm }: Omit<Around, 'filter'>,
): NearMissions {
  // Rows move between pages while the service sorts them without a second criterion: each counts once.
  const missions = new Map<string, NearMission>();
  for (const row of pages.flatMap((page) => page?.rows ?? [])) {
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
  const id = idOf(mission);
  const nearest = nearestAddress(mission, centre);
  if (id === null || nearest === null) return null;
  return { id, mission: withDistance(mission, nearest.distance), ...nearest };
}

/** Null also for an identifier of a wrong type: such a row cannot be distinguished from its repetition on another page. */
function idOf(mission: MissionView): string | null {
  try {
    return mission.id;
  } catch {
    return null;
  }
}

/** The same view, whose `distance` is the true one: the source's own is to the first address (volunteering 3.5). */
function withDistance(mission: MissionView, distance: number): MissionView {
  return Object.create(mission, { distance: { value: distance, enumerable: true } });
}
