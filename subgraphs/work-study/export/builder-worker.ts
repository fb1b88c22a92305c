import { constants, platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { stepsAtOnce } from '../../../runtime/event-loop/turns.js';
import type { TaskReply, TaskRequest } from '../../../runtime/process/task-thread.js';
import { type BuildTask, buildStock } from './builder.js';

// Runs in a thread of its own: builds the columns of one export.

// With fewer cores than threads, requests go first. Elsewhere than on Linux, this would apply to the whole process.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** Empty, or why the columns could not be built. */
function problemOf(task: BuildTask): string {
  try {
    stepsAtOnce(buildStock(task));
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

parentPort?.on('message', ({ id, task }: TaskRequest<BuildTask>) => {
  parentPort?.postMessage({ id, result: problemOf(task) } satisfies TaskReply<string>);
});
parentPort?.postMessage('ready');
