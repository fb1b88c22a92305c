import type { OperationContext } from '../../schema/operation.js';
import type { SourceReport } from '../graph/source-report.js';
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
  /** How the service is doing, and what of it is left to the asking credential. */
  readonly report: () => SourceReport;
}
