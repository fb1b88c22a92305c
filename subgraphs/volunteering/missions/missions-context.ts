import type { OperationContext } from '../../../kernel/operation.js';
import type { MissionsClient } from './client.js';
import type { MissionLoaders } from './loaders.js';

/** The part of the request's context that reading missions uses. */
export interface MissionsContext {
  readonly operation: OperationContext;
  readonly missions: MissionsClient;
  readonly loaders: MissionLoaders;
}
