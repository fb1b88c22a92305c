import type { OperationContext } from '../../schema/operation.js';
import type { SourceReport } from '../graph/source-report.js';
import type { AuthorizationClient } from './authorization/client.js';
import type { ViewerLoaders } from './viewer/loaders.js';

/** What the resolvers of this subgraph get. */
export interface Context {
  readonly operation: OperationContext;
  /** Null where logging in is not configured. */
  readonly authorization: AuthorizationClient | null;
  /** By key, for one request. */
  readonly loaders: ViewerLoaders;
  /** How the service is doing, and what of it is left to the asking credential. */
  readonly report: () => SourceReport;
}
