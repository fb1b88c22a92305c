import { workerData } from 'node:worker_threads';
import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import { type QueryPlan, QueryPlanner } from '@apollo/query-planner';
import { parse } from 'graphql';
import { collectAfterStart } from '../../runtime/process/lifecycle.js';
import { serveTasks } from '../../runtime/process/task-thread.js';

/** What a thread is started with that plans one operation after another. */
export interface PlannerData {
  /** The SDL of a valid supergraph. */
  readonly sdl: string;
}

/** Plans operations of a valid supergraph with the library's code. */
export function createPlanMaker({ sdl }: PlannerData): (text: string) => QueryPlan {
  const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
  const apiSchema = supergraph.apiSchema();
  const planner = new QueryPlanner(supergraph, {});
  return (text) => planner.buildQueryPlan(operationFromDocument(apiSchema, parse(text, { noLocation: true })));
}

// Only the thread of a planner has its data.
if ((workerData as Partial<PlannerData> | null)?.sdl !== undefined) {
  serveTasks(createPlanMaker);
  void collectAfterStart();
}
