import { createSingleLoader, type Load } from '../../graph/loader.js';
import { createSeenRows, type SeenRows } from '../lists/seen-rows.js';
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
