import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Upstream } from '../../rest/upstream.js';
import { createSeenRows, type SeenRows } from '../values/lists.js';
import { readMission } from './client.js';
import type { MissionView } from './shapes.js';

/** Missions for one request, already loaded or to be loaded. */
export interface MissionLoaders {
  readonly missionById: Load<string, MissionView | null>;
  readonly seenMissions: SeenRows<MissionView>;
}

/** The part of the request's context that reading missions uses. */
export interface MissionsContext {
  readonly operation: OperationContext;
  readonly upstream: Upstream;
  readonly loaders: MissionLoaders;
}

/** The loaders of missions for one request. */
export function createMissionLoaders(upstream: Upstream): MissionLoaders {
  return {
    missionById: createSingleLoader((id, operation) => readMission(upstream, id, operation)),
    seenMissions: createSeenRows(),
  };
}
