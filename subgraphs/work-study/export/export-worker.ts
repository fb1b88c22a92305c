import { serveTasks } from '../../../runtime/process/task-thread.js';
import { serve } from './export-thread.js';

// Runs in a thread of its own: loads one export, or answers questions to one.
serveTasks(serve, { isBackground: (data) => 'load' in data });
