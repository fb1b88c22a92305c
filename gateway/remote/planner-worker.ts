import { constants, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import { QueryPlanner } from '@apollo/query-planner';
import { parse } from 'graphql';
import { collectAfterStart } from '../../runtime/process/garbage-collection.js';
import { documentErrors } from '../limits/document-errors.js';
import type { ThreadData, ThreadReply, ThreadRequest, ThreadTask } from './planner.js';

// Runs in a thread of its own: validates or plans one document after another, with the libraries' code.

// With fewer cores than threads, requests go first. Elsewhere than on Linux, this would apply to the whole process.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const { sdl, introspection } = workerData as ThreadData;
const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
const apiSchema = supergraph.apiSchema();
const schema = apiSchema.toGraphQLJSSchema();
const planner = new QueryPlanner(supergraph, {});

function run({ kind, text }: ThreadTask): ThreadReply['result'] {
  try {
    if (kind === 'validate') return documentErrors(schema, text, introspection);
    return planner.buildQueryPlan(operationFromDocument(apiSchema, parse(text, { noLocation: true })));
  } catch {
    // Null makes the sender do it again and report why it fails.
    return null;
  }
}

parentPort?.on('message', ({ id, task }: ThreadRequest) => {
  parentPort?.postMessage({ id, result: run(task) } satisfies ThreadReply);
});
parentPort?.postMessage('ready');
void collectAfterStart();
