import type { OperationContext, SourceStatus } from '../../schema/operation.js';
import type { AuthorizationClient } from './authorization/client.js';
import type { ViewerLoaders } from './viewer/loaders.js';

/** What the resolvers of this subgraph get. */
export interface Context {
  readonly operation: OperationContext;
  /** Null where logging in is not configured. */
  readonly authorization: AuthorizationClient | null;
  /** By key, for one request. */
  readonly loaders: ViewerLoaders;
  readonly status: () => SourceStatus;
}
