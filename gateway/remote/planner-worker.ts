import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import { QueryPlanner } from '@apollo/query-planner';
import { parse } from 'graphql';
import { collectAfterStart } from '../../runtime/process/lifecycle.js';
import { serveTasks } from '../../runtime/process/task-thread.js';

// Runs in a thread of its own: plans one operation after another, with the library's code.

/** What the thread is started with. */
export interface PlannerWorkerData {
  /** The SDL of a valid supergraph. */
  readonly sdl: string;
}

serveTasks(({ sdl }: PlannerWorkerData) => {
  const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
  const apiSchema = supergraph.apiSchema();
  const planner = new QueryPlanner(supergraph, {});
  return (text: string) => planner.buildQueryPlan(operationFromDocument(apiSchema, parse(text, { noLocation: true })));
});
void collectAfterStart();
