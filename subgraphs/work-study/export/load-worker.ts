import { serveTasks } from '../../../runtime/process/task-thread.js';
import { ExportLoad, type LoadOptions } from './load.js';
import { serve } from './served-calls.js';

// Runs in a thread of its own, which ends with the load.
serveTasks(({ load }: { readonly load: LoadOptions }) => serve(() => new ExportLoad(load)));
