import { forEachInTurns } from '../../../../runtime/event-loop/turns.js';
import { badUserInput } from '../../../graph/arguments.js';
import type { MissionCountKey, QueryMissionCountsArgs } from '../../__generated__/resolvers.js';
import { aroundQuery } from '../around.js';
import { finishFilter, missionQuery } from '../filters.js';
import type { MissionsContext } from '../missions-context.js';
import { groupMissions, type MissionCountGroup } from './group.js';
import { readMissions } from './read-missions.js';

/** Most keys that one query may combine. */
const MAX_KEYS = 2;

/** Counts, and whether they cover all missions that match. */
export interface MissionCounts {
  readonly total: number | null;
  readonly counted: number;
  readonly complete: boolean;
  readonly groups: readonly MissionCountGroup[];
}

/** Counts of all missions that match, by one key or by combinations of two. */
export async function countMissions(
  { by, ...filters }: QueryMissionCountsArgs,
  { missions, operation }: MissionsContext,
): Promise<MissionCounts> {
  checkKeys(by);
  const filter = [...missionQuery(filters), ...aroundQuery(filters)];
  const { request } = operation;
  const found = await readMissions(request, filter, async (query) => missions.digest(query, operation));
  const matches = finishFilter(filters);
  const counted = matches === null ? found.missions : await matching(request, found.missions, matches);
  const { groups, complete } = await groupMissions(request, counted, by);
  // If part of the filter is applied here, the source's total includes missions that do not match.
  const total = matches === null ? found.total : found.complete ? counted.length : null;
  return { total, counted: counted.length, complete: found.complete && complete, groups };
}

async function matching<T>(owner: object, items: readonly T[], matches: (item: T) => boolean): Promise<readonly T[]> {
  const found: T[] = [];
  await forEachInTurns(owner, items, (item) => {
    if (matches(item)) found.push(item);
  });
  return found;
}

function checkKeys(by: readonly MissionCountKey[]): void {
  if (by.length < 1 || by.length > MAX_KEYS) throw badUserInput('by', 'takes one key or two');
  if (new Set(by).size < by.length) throw badUserInput('by', 'names a key twice');
}
