import type { OperationContext, SourceStatus } from '../../schema/operation.js';
import type { ViewerLoaders } from './viewer/loaders.js';

/** What the resolvers of this subgraph get. */
export interface Context {
  readonly operation: OperationContext;
  /** By key, for one request. */
  readonly loaders: ViewerLoaders;
  readonly status: () => SourceStatus;
}
