import type { OperationContext } from '../../../schema/operation.js';
import type { MissionsClient } from './client.js';
import type { MissionLoaders } from './loaders.js';

/** What reading missions uses of the request's context. */
export interface MissionsContext {
  readonly operation: OperationContext;
  readonly missions: MissionsClient;
  readonly loaders: MissionLoaders;
}
