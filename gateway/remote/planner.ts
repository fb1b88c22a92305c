import type { QueryPlan, QueryPlanCache } from '@apollo/query-planner';
import { createCache, type WatchCache } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import { TaskThread } from '../../runtime/process/task-thread.js';
import { createCallerQueue } from '../limits/caller-queue.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';

/** What a planner is started with. */
export interface PlannerOptions {
  /** The SDL of a valid supergraph. */
  readonly sdl: string;
  readonly log: Log;
  readonly watchCache: WatchCache;
  /** The thread's script; null for no thread. */
  readonly script?: URL | null;
}

/** Only the built program has the file that the thread runs; else the main thread plans, as where it cannot start. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./plan-maker.js', import.meta.url) : null;

/** Limit on the thread's heap: a supergraph takes thirty mebibytes, and the largest plans as much again. */
const HEAP_MB = 256;

/**
 * Where the library looks for the plan of an operation, by a hash of its text. It gets the plan itself in the place of the
 * hash, so that none is lost before it is executed: a cache may have no room for one.
 */
export const PLANS: QueryPlanCache = {
  get: async (plan: unknown) => plan as QueryPlan,
  set: async () => {},
  delete: async () => {},
  clear: () => {},
};

/**
 * Plans new operations of a valid supergraph. It takes up to a second for the worst that is legal, so a thread does it
 * (`plan-maker.ts`) while others are answered; and one caller's new operations wait for each other, so whoever sends
 * many delays only their own. A plan is remembered by the text that it was made for.
 */
export function createPlanner({ sdl, log, watchCache, script = SCRIPT }: PlannerOptions) {
  // Measured: four bytes of heap per byte of a plan as JSON.
  const sizeCalculation = (plan: QueryPlan, text: string) => 4 * JSON.stringify(plan).length + 2 * text.length;
  const known = createCache<QueryPlan>('plans', watchCache, { sizeCalculation });
  const queue = createCallerQueue({ name: 'new operations', ofCaller: 1, waiting: 1_000 });
  const thread: TaskThread<string, QueryPlan> | null =
    script && new TaskThread({ script, data: sdl, heapMb: HEAP_MB, name: 'the query planner', log });
  let maker: ((text: string) => QueryPlan) | null = null;

  async function planHere(text: string): Promise<QueryPlan> {
    maker ??= (await import('./plan-maker.js')).createPlanMaker(sdl);
    return maker(text);
  }

  async function make(text: string): Promise<QueryPlan> {
    const plan = known.get(text) ?? (await thread?.run(text)) ?? (await planHere(text));
    known.set(text, plan);
    return plan;
  }

  return {
    /** The plan of a valid operation, made unless it is remembered. Rejects if the request ends before. */
    async plan(text: string, request: Pick<GatewayRequest, 'callerId' | 'onCutoff'>): Promise<QueryPlan> {
      const before = known.get(text);
      if (before !== undefined) return before;
      const leave = await queue.enter(request);
      return settleInTime(make(text).finally(leave), request);
    },
    close: async () => thread?.close(),
  };
}
