import type { OperationContext } from '../../kernel/operation.js';
import type { SourceReport } from '../graph/sources.js';
import type { Upstream } from '../rest/upstream.js';
import type { OrganizationMissionLoaders } from './links/organization-missions.js';
import type { MissionLoaders } from './missions/client.js';
import type { OrganizationLoaders } from './organizations/loaders.js';

/** The context of this subgraph's resolvers. */
export interface Context {
  readonly operation: OperationContext;
  readonly upstream: Upstream;
  /** By key, for one request. */
  readonly loaders: MissionLoaders & OrganizationLoaders & OrganizationMissionLoaders;
  /** State of the service, and the quota left to the requesting credential. */
  readonly report: () => SourceReport;
}
