import type { OperationContext } from '../../schema/operation.js';

/** What the contexts of all subgraphs have in common. */
export interface OperationScope {
  readonly operation: Pick<OperationContext, 'request'>;
}

/** The request that an operation is part of, as the owner of its work. */
export function requestOf({ operation }: OperationScope): object {
  return operation.request;
}
