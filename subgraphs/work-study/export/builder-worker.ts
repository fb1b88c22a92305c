import { stepsAtOnce } from '../../../runtime/event-loop/turns.js';
import { serveTasks } from '../../../runtime/process/task-thread.js';
import { type BuildTask, buildStock } from './builder.js';

// Runs in a thread of its own: builds the columns of one export.

/** Returns an empty text, or why the columns could not be built. */
serveTasks(() => (task: BuildTask): string => {
  try {
    stepsAtOnce(buildStock(task));
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
});
