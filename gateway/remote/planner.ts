import type { QueryPlan, QueryPlanCache } from '@apollo/query-planner';
import { createCache, type WatchCache } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import { TaskThread } from '../../runtime/process/task-thread.js';
import { createCallerQueue } from '../limits/caller-queue.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';
import type { PlannerData } from './plan-maker.js';

type PlanningRequest = Pick<GatewayRequest, 'callerId' | 'signal' | 'onCutoff'>;

/** What a planner is started with. */
export interface PlannerOptions extends PlannerData {
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
 * Plans new operations of a valid supergraph. It takes up to a second for the worst that is legal, so a thread does it
 * (`plan-maker.ts`) while others are answered; and one caller's new operations wait for each other, so whoever sends
 * many delays only their own. A plan is remembered by the text that it was made for.
 */
export function createPlanner({ log, watchCache, script = SCRIPT, ...data }: PlannerOptions) {
  // Measured: four bytes of heap per byte of a plan as JSON.
  const sizeCalculation = (plan: QueryPlan, text: string) => 4 * JSON.stringify(plan).length + 2 * text.length;
  const known = createCache<QueryPlan>('plans', watchCache, { sizeCalculation });
  /** Plans that are being executed, by keys of their own: `known` may have no room for one. */
  const held = new Map<string, QueryPlan>();
  let executions = 0;
  const plans: QueryPlanCache = {
    get: async (key) => held.get(key),
    set: async () => {},
    delete: async (key) => held.delete(key),
    clear: () => held.clear(),
  };
  const queue = createCallerQueue({ name: 'new operations', ofCaller: 1, waiting: 1_000 });
  const thread: TaskThread<string, QueryPlan> | null =
    script && new TaskThread({ script, data, heapMb: HEAP_MB, name: 'the query planner', log });
  let maker: ((text: string) => QueryPlan) | null = null;

  async function planHere(text: string): Promise<QueryPlan> {
    maker ??= (await import('./plan-maker.js')).createPlanMaker(data);
    return maker(text);
  }

  async function make(text: string): Promise<QueryPlan> {
    const plan = known.get(text) ?? (await thread?.run(text)) ?? (await planHere(text));
    known.set(text, plan);
    return plan;
  }

  return {
    /** Where the library looks plans up. */
    plans,
    /** Calls `execute` with the key by which the library finds the plan meanwhile. */
    async hold<T>(plan: QueryPlan, execute: (key: string) => Promise<T>): Promise<T> {
      executions += 1;
      const key = String(executions);
      held.set(key, plan);
      return execute(key).finally(() => held.delete(key));
    },
    /** The plan of a valid operation, made unless it is remembered. Rejects if the request ends before. */
    async plan(text: string, request: PlanningRequest): Promise<QueryPlan> {
      const before = known.get(text);
      if (before !== undefined) return before;
      const leave = await queue.enter(request);
      return settleInTime(make(text).finally(leave), request);
    },
    close: async () => thread?.close(),
  };
}
