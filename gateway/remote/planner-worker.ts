import { collectAfterStart } from '../../runtime/process/lifecycle.js';
import { serveTasks } from '../../runtime/process/task-thread.js';
import { createPlanMaker } from './plan-maker.js';

// Runs in a thread of its own: plans one operation after another.

/** What the thread is started with. */
export interface PlannerWorkerData {
  /** The SDL of a valid supergraph. */
  readonly sdl: string;
}

serveTasks(({ sdl }: PlannerWorkerData) => createPlanMaker(sdl));
void collectAfterStart();
