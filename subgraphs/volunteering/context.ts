import type { OperationContext } from '../../kernel/operation.js';
import type { SourceReport } from '../graph/source-report.js';
import type { Origin } from '../rest/shape.js';
import type { MissionsClient } from './missions/client.js';
import type { MissionLoaders } from './missions/loaders.js';
import type { OrganizationsClient } from './organizations/client.js';
import type { OrganizationLoaders } from './organizations/loaders.js';

/** The context of this subgraph's resolvers. */
export interface Context {
  readonly operation: OperationContext;
  readonly missions: MissionsClient;
  readonly organizations: OrganizationsClient;
  /** By key, for one request. */
  readonly loaders: MissionLoaders & OrganizationLoaders;
  /** Counts malformed codes that joins meet. */
  readonly origin: Origin;
  /** State of the service, and the quota left to the requesting credential. */
  readonly report: () => SourceReport;
}
