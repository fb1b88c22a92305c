import { constants, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import { QueryPlanner } from '@apollo/query-planner';
import { parse } from 'graphql';
import { collectAfterStart } from '../../../runtime/process/garbage-collection.js';
import { documentErrors } from '../../limits/document-errors.js';
import type { ThreadData, ThreadReply, ThreadRequest, ThreadTask } from './thread-messages.js';

// Runs in a thread of its own: validates or plans one document after another, with the libraries' code.

// With fewer cores than threads, requests go first. Elsewhere than on Linux, this would apply to the whole process.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const { sdl, introspection } = workerData as ThreadData;
const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
const apiSchema = supergraph.apiSchema();
const schema = apiSchema.toGraphQLJSSchema();
const planner = new QueryPlanner(supergraph, {});

function run(task: ThreadTask): ThreadReply['result'] {
  try {
    if (task.kind === 'validate') return documentErrors(schema, task.text, introspection);
    const document = parse(task.text, { noLocation: true });
    const options = task.operationName === undefined ? {} : { operationName: task.operationName };
    // Unnamed, since the plan's operations would bear its name: subgraphs thus parse equal operations only once.
    const operation = Object.assign(operationFromDocument(apiSchema, document, options), { name: undefined });
    return planner.buildQueryPlan(operation);
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
