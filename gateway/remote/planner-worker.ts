import { constants, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import { type QueryPlan, QueryPlanner } from '@apollo/query-planner';
import { parse } from 'graphql';
import { collectAfterStart } from '../../runtime/process/lifecycle.js';
import type { TaskReply, TaskRequest } from '../../runtime/process/task-thread.js';

// Runs in a thread of its own: plans one operation after another, with the library's code.

/** What the thread is started with. */
export interface PlannerWorkerData {
  /** The SDL of a valid supergraph. */
  readonly sdl: string;
}

// With fewer cores than threads, requests go first. Elsewhere than on Linux, this would apply to the whole process.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const { sdl } = workerData as PlannerWorkerData;
const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
const apiSchema = supergraph.apiSchema();
const planner = new QueryPlanner(supergraph, {});

function planOf(text: string): QueryPlan | null {
  try {
    return planner.buildQueryPlan(operationFromDocument(apiSchema, parse(text, { noLocation: true })));
  } catch {
    // Null makes the library plan it again and report why it fails.
    return null;
  }
}

parentPort?.on('message', ({ id, task }: TaskRequest<string>) => {
  parentPort?.postMessage({ id, result: planOf(task) } satisfies TaskReply<QueryPlan>);
});
parentPort?.postMessage('ready');
void collectAfterStart();
