import { workerData } from 'node:worker_threads';
import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import { type QueryPlan, QueryPlanner } from '@apollo/query-planner';
import { parse } from 'graphql';
import { collectAfterStart } from '../../runtime/process/lifecycle.js';
import { serveTasks } from '../../runtime/process/task-thread.js';

/** Plans operations of a valid supergraph, given as SDL, with the library's code. */
export function createPlanMaker(sdl: string): (text: string) => QueryPlan {
  const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
  const apiSchema = supergraph.apiSchema();
  const planner = new QueryPlanner(supergraph, {});
  return (text) => planner.buildQueryPlan(operationFromDocument(apiSchema, parse(text, { noLocation: true })));
}

// Only the thread of a planner is started with a text.
if (typeof workerData === 'string') {
  serveTasks(createPlanMaker);
  void collectAfterStart();
}
