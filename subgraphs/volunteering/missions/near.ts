import type { OperationContext } from '../../../kernel/operation.js';
import { allOf } from '../../../kernel/ready.js';
import type { Position } from '../../codes/distances.js';
import { inSteps } from '../../graph/operation-scope.js';
import { orNull } from '../../rest/responses/shape.js';
import { isView, type QueryParameters } from '../lists/paging.js';
import { nearQuery } from './around.js';
import type { MissionList, MissionQuery } from './client.js';
import { hasUnreadablePosition, type NearestAddress, nearestAddress } from './nearest-address.js';
import type { MissionView } from './shapes.js';

/** Rows per call. A row may have 40 kB, with up to a hundred addresses (volunteering 8). */
const ROWS = 1_000;
/** Most calls for one query. */
const CALLS = 5;

/** A mission with its nearest address and the distance to it. */
export interface NearMission extends NearestAddress {
  readonly id: string;
  readonly mission: MissionView;
}

interface NearMissions {
  /** Nearest first, then by identifier. */
  readonly missions: readonly NearMission[];
  /** Whether some may be missing. */
  readonly truncated: boolean;
}

type Pages = readonly (MissionList | null)[];

/** Who asks for missions, and the search that finds them. */
interface NearSearch {
  readonly operation: OperationContext;
  search(query: MissionQuery): PromiseLike<MissionList | null>;
}

/**
 * The missions within `radiusKm` of a point. The source returns those of a box, in its own order, so all are read (up
 * to a limit), measured and sorted here, in turns of the request's: a thousand rows take several milliseconds, and a
 * small request may need a hundred pages.
 */
export function missionsNear(around: Around, { operation, search }: NearSearch): PromiseLike<NearMissions> {
  const filter = [...around.filter, ...nearQuery(around.centre, around.radiusKm)];
  return search({ filter, skip: 0, limit: ROWS }).then((first) => {
    const pages = Math.min(CALLS, Math.ceil((totalOf(first) ?? 0) / ROWS));
    const skips = Array.from({ length: Math.max(0, pages - 1) }, (_, page) => (page + 1) * ROWS);
    const others = skips.map(async (skip) => search({ filter, skip, limit: ROWS }));
    return allOf(others).then((rest) =>
      inSteps(operation, { steps: nearestOf([first, ...rest], around), isShort: others.length === 0 }),
    );
  });
}

interface Around {
  readonly centre: Position;
  readonly radiusKm: number;
  readonly filter: QueryParameters;
}

function* nearestOf(pages: Pages, { centre, radiusKm }: Omit<Around, 'filter'>): Generator<void, NearMissions> {
  const { rows, complete } = yield* distinctRows(pages);
  const missions: NearMission[] = [];
  let truncated = !complete;
  for (const [id, mission] of rows) {
    const nearest = nearestAddress(mission, centre);
    if (nearest !== null && nearest.distance <= radiusKm) {
      missions.push({ id, mission: withDistance(mission, nearest.distance), ...nearest });
    } else truncated ||= hasUnreadablePosition(mission);
    yield;
  }
  return { missions: missions.sort(nearestFirst), truncated };
}

interface DistinctRows {
  readonly rows: ReadonlyMap<string, MissionView>;
  /** Whether these are all rows that the source has. */
  readonly complete: boolean;
}

/**
 * The rows by identifier. A row that repeats one of an earlier page means that another row was skipped, because the
 * service sorts without a second criterion, so that pages overlap. Repetition within a page means nothing.
 */
function* distinctRows(pages: Pages): Generator<void, DistinctRows> {
  const rows = new Map<string, MissionView>();
  let count = 0;
  let unreadable = false;
  for (const page of pages) {
    const before = new Set(rows.keys());
    for (const row of page?.rows ?? []) {
      // A row without a readable identifier cannot be told from its repetition on another page.
      const id = isView(row) ? orNull(() => row.id) || null : null;
      if (id === null || !isView(row)) unreadable = true;
      else if (!before.has(id)) {
        count += 1;
        rows.set(id, row);
      }
      yield;
    }
  }
  const [first] = pages;
  const total = totalOf(first);
  // Without a total, a short page may only mean that the source serves no larger ones.
  const reachesEnd = total === null ? (first?.rows.length ?? 0) === 0 : count >= total;
  return { rows, complete: reachesEnd && !unreadable };
}

/** The source's count; null if it does not say, or the count cannot be read. */
function totalOf(page: MissionList | null | undefined): number | null {
  return typeof page?.total === 'number' ? page.total : null;
}

function nearestFirst(a: NearMission, b: NearMission): number {
  return a.distance - b.distance || (a.id < b.id ? -1 : 1);
}

/** The same view with the true `distance`; the source's is that to the first address (volunteering 3.5). */
function withDistance(mission: MissionView, distance: number): MissionView {
  return Object.create(mission, { distance: { value: distance, enumerable: true } });
}
