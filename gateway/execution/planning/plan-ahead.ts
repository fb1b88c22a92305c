import { createHash } from 'node:crypto';
import type { QueryPlan } from '@apollo/query-planner';
import { type DocumentNode, print } from 'graphql';
import { ownTurn } from '../../../runtime/event-loop/turns.js';
import type { CallerQueue } from '../../limits/caller-queue.js';
import type { GatewayRequest } from '../../request/request.js';
import type { PlannerThread } from './planner-thread.js';

/** An operation as the library's executor receives it. */
export interface OperationToPlan {
  readonly document: DocumentNode;
  /** Hash of the client's text. */
  readonly queryHash: string;
  readonly request: { readonly operationName?: string };
}

/** Where the library looks for a plan before it makes one. */
interface PlanStore {
  get(key: string): Promise<QueryPlan | undefined>;
  set(key: string, plan: QueryPlan): Promise<void>;
}

/** What plans are made with. */
export interface PlanAheadOptions {
  readonly store: PlanStore;
  readonly thread: Pick<PlannerThread, 'plan'>;
  readonly inTurn: CallerQueue;
}

/** The plan of an operation, which the library then also finds in the store; null if the library has to plan. */
export type PlanAhead = (
  operation: OperationToPlan,
  gatewayRequest: Pick<GatewayRequest, 'callerId' | 'signal'>,
) => Promise<QueryPlan | null>;

/** Plans new operations in the planner thread. */
export function createPlanAhead({ store, thread, inTurn }: PlanAheadOptions): PlanAhead {
  return async (operation, gatewayRequest) => {
    const key = storeKey(operation);
    const known = await store.get(key);
    if (known !== undefined) return known;
    return inTurn(gatewayRequest, async () => {
      const meanwhile = await store.get(key);
      if (meanwhile !== undefined) return meanwhile;
      // Printing a large operation takes milliseconds.
      await ownTurn(gatewayRequest);
      const plan = await thread.plan(print(operation.document), operation.request.operationName);
      if (plan !== null) await store.set(key, plan);
      return plan;
    });
  };
}

/** The library's own key for a plan. With any other, it would plan again. */
function storeKey({ queryHash, request: { operationName } }: OperationToPlan): string {
  return operationName ? createHash('sha256').update(queryHash).update(operationName).digest('hex') : queryHash;
}
