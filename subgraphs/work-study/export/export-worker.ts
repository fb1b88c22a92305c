import { serveTasks } from '../../../runtime/process/task-thread.js';
import { type AskTask, answering, type LoadTask, loading } from './export-tasks.js';

// Runs in a thread of its own: loads one export, or answers questions to one.
interface ThreadData {
  readonly load: boolean;
  readonly path: string;
}

const open = ({ load, path }: ThreadData) =>
  (load ? loading() : answering(path)) as (task: LoadTask | AskTask) => unknown;
serveTasks(open, { isBackground: ({ load }) => load });
