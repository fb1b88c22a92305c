import type { OperationContext } from '../../kernel/operation.js';
import type { SourceReport } from '../graph/sources.js';
import type { AuthorizationClient } from './authorization/client.js';
import type { ViewerLoaders } from './viewer/client.js';

/** The context of this subgraph's resolvers. */
export interface Context {
  readonly operation: OperationContext;
  /** Logs in. Throws PERMISSION_DENIED for anybody but the gateway, and SOURCE_OFF where it is not configured. */
  readonly authorization: () => AuthorizationClient;
  /** By key, for one request. */
  readonly loaders: ViewerLoaders;
  /** State of the service, and the quota left to the requesting credential. */
  readonly report: () => SourceReport;
}
