import { createHash } from 'node:crypto';
import type { QueryPlan } from '@apollo/query-planner';
import { type DocumentNode, print } from 'graphql';
import { ownTurn } from '../../../runtime/event-loop/turns.js';
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

/** Sees to it that the store holds the plan of an operation before the library looks for it there. */
export type PlanAhead = (operation: OperationToPlan) => Promise<void>;

/**
 * Plans new operations in the planner's thread, equal ones once. Where the thread has no plan, the store stays as it is,
 * and the library plans.
 */
export function createPlanAhead(store: PlanStore, thread: PlannerThread): PlanAhead {
  const planning = new Map<string, Promise<void>>();

  async function plan(key: string, { document, request }: OperationToPlan): Promise<void> {
    if ((await store.get(key)) !== undefined) return;
    // To write a large operation takes milliseconds.
    await ownTurn();
    const made = await thread.plan(print(document), request.operationName);
    if (made !== null) await store.set(key, made);
  }

  return (operation) => {
    const key = storeKey(operation);
    const known = planning.get(key) ?? plan(key, operation).finally(() => planning.delete(key));
    planning.set(key, known);
    return known;
  };
}

/** The library's own key of a plan. With another one it would plan again. */
function storeKey({ queryHash, request: { operationName } }: OperationToPlan): string {
  return operationName ? createHash('sha256').update(queryHash).update(operationName).digest('hex') : queryHash;
}
