import { serveTasks } from '../../../runtime/process/task-thread.js';
import { LoadedExport } from './ask.js';
import { serve } from './served-calls.js';

// Runs in a thread of its own as long as the file is used, so it imports nothing else.
serveTasks(({ ask }: { readonly ask: string }) => serve(() => LoadedExport.open(ask)), { isBackground: false });
