import { parentPort, workerData } from 'node:worker_threads';
import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import { QueryPlanner } from '@apollo/query-planner';
import { parse } from 'graphql';
import type { PlanReply, PlanRequest, PlanThreadData } from './plan-messages.js';

// Runs in a thread of its own: plans one operation after the other, with the library's planner.

const { sdl } = workerData as PlanThreadData;
const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
const apiSchema = supergraph.apiSchema();
const planner = new QueryPlanner(supergraph, {});

function plan({ text, operationName }: PlanRequest): PlanReply['plan'] {
  try {
    const document = parse(text, { noLocation: true });
    const options = operationName === undefined ? {} : { operationName };
    return planner.buildQueryPlan(operationFromDocument(apiSchema, document, options));
  } catch {
    // Whoever asked plans it again, and reports why it fails.
    return null;
  }
}

parentPort?.on('message', (request: PlanRequest) => {
  parentPort?.postMessage({ id: request.id, plan: plan(request) } satisfies PlanReply);
});
parentPort?.postMessage('ready');
