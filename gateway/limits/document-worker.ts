import { constants, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { buildSchema, type GraphQLFormattedError } from 'graphql';
import type { TaskReply, TaskRequest } from '../../runtime/process/task-thread.js';
import { documentErrors } from './document-rules.js';

// Runs in a thread of its own: validates one document after another.

/** What the thread is started with. */
export interface DocumentWorkerData {
  /** The SDL of what clients may select. */
  readonly api: string;
  readonly introspection: boolean;
}

// With fewer cores than threads, requests go first. Elsewhere than on Linux, this would apply to the whole process.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const { api, introspection } = workerData as DocumentWorkerData;
const schema = buildSchema(api, { noLocation: true });

function errorsOf(text: string): readonly GraphQLFormattedError[] | null {
  try {
    return documentErrors(schema, text, introspection);
  } catch {
    // Null makes the sender do it again and report why it fails.
    return null;
  }
}

parentPort?.on('message', ({ id, task }: TaskRequest<string>) => {
  parentPort?.postMessage({ id, result: errorsOf(task) } satisfies TaskReply<readonly GraphQLFormattedError[]>);
});
parentPort?.postMessage('ready');
