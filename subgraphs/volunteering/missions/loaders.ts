import type { OperationContext } from '../../../kernel/operation.js';
import { createSingleLoader, type Load } from '../../graph/loader.js';
import { createSeenRows, type SeenRows } from '../values/lists.js';
import type { MissionsClient } from './client.js';
import type { MissionView } from './shapes.js';

/** Missions for one request, already loaded or to be loaded. */
export interface MissionLoaders {
  readonly missionById: Load<string, MissionView | null>;
  readonly seenMissions: SeenRows<MissionView>;
}

/** The loaders of missions for one request. */
export function createMissionLoaders(missions: MissionsClient): MissionLoaders {
  return {
    missionById: createSingleLoader((id, operation) => missions.byId(id, operation)),
    seenMissions: createSeenRows(),
  };
}

/** The part of the request's context that reading missions uses. */
export interface MissionsContext {
  readonly operation: OperationContext;
  readonly missions: MissionsClient;
  readonly loaders: MissionLoaders;
}
