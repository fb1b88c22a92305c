import type { OperationContext } from '../../schema/operation.js';

/** What the resolvers of this subgraph get. */
export interface Context {
  readonly operation: OperationContext;
}
