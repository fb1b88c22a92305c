import type { QueryPlan, QueryPlanCache } from '@apollo/query-planner';
import { createCache, type WatchCache } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import { TaskThread } from '../../runtime/process/task-thread.js';
import { createCallerQueue } from '../limits/caller-queue.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';
import type { PlannerData } from './plan-maker.js';
import type { PlannedOperation } from './planned-operation.js';

/**
 * Planning of new operations. It takes up to a second for the worst that is legal, so a thread does it
 * (`plan-maker.ts`) while others are answered; and one caller's new operations wait for each other, so whoever sends
 * many delays only their own. A plan is remembered by the text that it was made for.
 *
 * Where there is no thread, because the program runs from source or the thread cannot start, the main thread plans.
 */
export interface Planner {
  /** Makes the plan of a valid operation, unless it is remembered. Rejects if the request ends before. */
  plan(operation: OperationText, request: PlanningRequest): Promise<void>;
  /** The plans, as the library looks them up. */
  readonly plans: QueryPlanCache;
  close(): Promise<void>;
}

type OperationText = Pick<PlannedOperation, 'text' | 'key'>;

type PlanningRequest = Pick<GatewayRequest, 'callerId' | 'signal' | 'onCutoff'>;

/** What a planner is started with. */
export interface PlannerOptions extends PlannerData {
  readonly log: Log;
  readonly watchCache: WatchCache;
  /** The thread's script; null for no thread. */
  readonly script?: URL | null;
}

/** Only the built program has the file that the thread runs. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./plan-maker.js', import.meta.url) : null;

/** Limit on the thread's heap: a supergraph takes thirty mebibytes, and the largest plans as much again. */
const HEAP_MB = 256;

/** Creates a planner for a valid supergraph. */
export function createPlanner({ log, watchCache, script = SCRIPT, ...data }: PlannerOptions): Planner {
  const known = createCache<QueryPlan>('plans', watchCache, { sizeCalculation: sizeOf });
  const plans: QueryPlanCache = {
    get: async (key) => known.get(key),
    set: async (key, plan) => void known.set(key, plan),
    delete: async (key) => known.delete(key),
    clear: () => known.clear(),
  };
  const queue = createCallerQueue({ name: 'new operations', ofCaller: 1, waiting: 1_000 });
  const thread: TaskThread<string, QueryPlan> | null =
    script && new TaskThread({ script, data, heapMb: HEAP_MB, name: 'the query planner', log });

  let planHere: ((text: string) => QueryPlan) | null = null;

  async function planOnce({ text, key }: OperationText): Promise<void> {
    if (known.has(key)) return;
    const plan = (await thread?.run(text)) ?? null;
    if (plan === null) planHere ??= (await import('./plan-maker.js')).createPlanMaker(data);
    const made = plan ?? planHere?.(text);
    if (made !== undefined) known.set(key, made);
  }

  return {
    plans,
    async plan(operation, request) {
      if (known.has(operation.key)) return;
      const leave = await queue.enter(request);
      await settleInTime(planOnce(operation).finally(leave), request);
    },
    close: async () => thread?.close(),
  };
}

/** Bytes of heap of a query plan: four per byte of it as JSON. */
function sizeOf(plan: QueryPlan): number {
  return 4 * JSON.stringify(plan).length;
}
