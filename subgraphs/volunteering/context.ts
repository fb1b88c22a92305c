import type { OperationContext, SourceStatus } from '../../schema/operation.js';
import type { Origin } from '../rest/shape.js';
import type { MissionsClient } from './missions/client.js';
import type { MissionLoaders } from './missions/loaders.js';
import type { OrganizationsClient } from './organizations/client.js';
import type { OrganizationLoaders } from './organizations/loaders.js';

/** What the resolvers of this subgraph get. */
export interface Context {
  readonly operation: OperationContext;
  readonly missions: MissionsClient;
  readonly organizations: OrganizationsClient;
  /** By key, for one request. */
  readonly loaders: MissionLoaders & OrganizationLoaders;
  /** Counts a malformed code that a join meets. */
  readonly origin: Origin;
  readonly status: () => SourceStatus;
}
