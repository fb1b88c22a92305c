import { Worker } from 'node:worker_threads';
import type { QueryPlan } from '@apollo/query-planner';
import type { GraphQLFormattedError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { ownTurn } from '../../runtime/event-loop/turns.js';
import { CACHES, type WatchCache } from '../../schema/caches.js';
import type { Log } from '../../schema/log.js';
import { tooManyWaiting } from '../limits/too-many-waiting.js';
import type { GatewayRequest } from '../request/request.js';
import { settleInTime } from '../request/settle-in-time.js';

/**
 * Validation and planning of new documents. Either takes up to a second for the worst that is legal, so a thread does
 * it (`planner-worker.ts`) while others are answered; and one caller's new documents wait for each other, so whoever
 * sends many delays only their own. A plan is remembered by the text that it was made for.
 *
 * Where there is no thread, because the program runs from source or the thread cannot start, the results are null, and
 * the libraries do the same on the main thread.
 */
export interface Planner {
  /** The errors of a document; null if the caller has to validate. Rejects if the thread ended over this document. */
  validate(text: string): Promise<readonly GraphQLFormattedError[] | null>;
  /** Makes the plan of a valid operation, unless it is remembered. Rejects if the request ends before. */
  plan(operation: OperationText, request: PlanningRequest): Promise<void>;
  /** The plans, as the library looks them up. */
  readonly plans: PlanStore;
  /** Runs work once all earlier work of its caller is done. */
  readonly inTurn: CallerQueue;
  close(): Promise<void>;
}

/** An operation without a name, and the key of its plan. */
export interface OperationText {
  readonly text: string;
  readonly key: string;
}

type PlanningRequest = Pick<GatewayRequest, 'callerId' | 'signal' | 'onCutoff'>;

/** What a planner is started with. */
export interface PlannerOptions extends ThreadData {
  readonly log: Log;
  readonly watchCache: WatchCache;
  /** The thread's script; null for no thread. */
  readonly script?: URL | null;
}

/** Only the built program has the file that the thread runs. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./planner-worker.js', import.meta.url) : null;

/** Starts a planner for a valid supergraph. */
export function startPlanner({ log, watchCache, script = SCRIPT, ...data }: PlannerOptions): Planner {
  const plans = createPlanStore(watchCache);
  const inTurn = createCallerQueue();
  const thread = script === null ? null : new Thread(script, data, log);

  async function planOnce({ text, key }: OperationText, request: PlanningRequest): Promise<void> {
    if (plans.has(key)) return;
    const plan = (await thread?.run({ kind: 'plan', text })) ?? null;
    if (plan !== null) await plans.set(key, plan as QueryPlan);
    else await ownTurn(request);
  }

  return {
    plans,
    inTurn,
    async validate(text) {
      const errors = (await thread?.run({ kind: 'validate', text })) ?? null;
      return errors as readonly GraphQLFormattedError[] | null;
    },
    async plan(operation, request) {
      if (plans.has(operation.key)) return;
      await settleInTime(
        inTurn(request, () => planOnce(operation, request)),
        request,
      );
    },
    close: async () => thread?.close(),
  };
}

/** Plans in the shape that the library expects of its cache. */
export interface PlanStore {
  get(key: string): Promise<QueryPlan | undefined>;
  has(key: string): boolean;
  set(key: string, plan: QueryPlan): Promise<void>;
  delete(key: string): Promise<boolean>;
  clear(): void;
}

/** Bytes of heap per byte of a query plan as JSON. */
const HEAP_PER_PLAN_BYTE = 4;

function createPlanStore(watchCache: WatchCache): PlanStore {
  const cache = new LRUCache<string, QueryPlan>({
    maxSize: CACHES.plans.boundBytes,
    sizeCalculation: (plan) => HEAP_PER_PLAN_BYTE * JSON.stringify(plan).length,
  });
  watchCache('plans', () => cache.calculatedSize);
  return {
    get: async (key) => cache.get(key),
    has: (key) => cache.has(key),
    set: async (key, plan) => void cache.set(key, plan),
    delete: async (key) => cache.delete(key),
    clear: () => cache.clear(),
  };
}

/** How many pieces of work of one caller may wait. */
const MAX_WAITING = 1_000;

/**
 * Runs work for a request once all earlier work of its caller is done. Rejects if the request ended meanwhile, and with
 * TOO_MANY_REQUESTS if too much of the same caller is waiting.
 */
export type CallerQueue = <T>(
  request: Pick<GatewayRequest, 'callerId' | 'signal'>,
  work: () => Promise<T>,
) => Promise<T>;

/** Creates an empty queue. */
export function createCallerQueue(): CallerQueue {
  const callers = new Map<string, { waiting: number; last: Promise<unknown> }>();

  return async ({ callerId, signal }, work) => {
    const caller = callers.get(callerId) ?? { waiting: 0, last: Promise.resolve() };
    if (caller.waiting >= MAX_WAITING) throw tooManyWaiting('new operations');
    callers.set(callerId, caller);
    caller.waiting += 1;
    const done = caller.last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    caller.last = done
      .catch(() => {})
      .then(() => {
        caller.waiting -= 1;
        if (caller.waiting === 0) callers.delete(callerId);
      });
    return done;
  };
}

/** What the thread is started with. */
export interface ThreadData {
  /** The SDL of a valid supergraph. */
  readonly sdl: string;
  readonly introspection: boolean;
}

/** What the thread does with a document. */
export interface ThreadTask {
  readonly kind: 'validate' | 'plan';
  readonly text: string;
}

/** A task with its number. */
export interface ThreadRequest {
  readonly id: number;
  readonly task: ThreadTask;
}

/** The errors of the document, none for a valid one, or the plan; null if the task failed. */
export interface ThreadReply {
  readonly id: number;
  readonly result: readonly GraphQLFormattedError[] | QueryPlan | null;
}

/** Limits on the thread's heap: a supergraph takes thirty mebibytes, and the largest plans as much again. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };

interface Waiting {
  readonly request: ThreadRequest;
  resolve(result: ThreadReply['result']): void;
  reject(why: Error): void;
}

/** The thread, and those that follow it when it ends. */
class Thread {
  readonly #script: URL;
  readonly #data: ThreadData;
  readonly #log: Log;
  /** In the order in which the thread takes them. */
  readonly #waiting = new Map<number, Waiting>();
  /** Null once it has ended, until there is new work. */
  #worker: Worker | null;
  /** State of the first thread: if it became ready, others may replace it; if it could not start, none does. */
  #state: 'starting' | 'ready' | 'unavailable' = 'starting';
  #isClosed = false;
  #sent = 0;

  constructor(script: URL, data: ThreadData, log: Log) {
    this.#script = script;
    this.#data = data;
    this.#log = log;
    this.#worker = this.#start();
  }

  /** Null if the thread cannot start, or fails at the task. Rejects if it ended while it worked on it. */
  async run(task: ThreadTask): Promise<ThreadReply['result']> {
    if (this.#state === 'unavailable' || this.#isClosed) return null;
    this.#worker ??= this.#start();
    const request = { id: this.#sent++, task };
    const result = new Promise<ThreadReply['result']>((resolve, reject) =>
      this.#waiting.set(request.id, { request, resolve, reject }),
    );
    this.#worker.postMessage(request);
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // The thread needs no flags or variables of the process: so it holds no secret and preloads nothing.
    const worker = new Worker(this.#script, {
      workerData: this.#data,
      resourceLimits: RESOURCE_LIMITS,
      execArgv: [],
      env: {},
    });
    worker.unref();
    worker.on('message', (message: 'ready' | ThreadReply) => {
      if (message === 'ready') this.#state = 'ready';
      else this.#settle(message);
    });
    worker.on('error', (error) => this.#log.error({ err: error }, 'the thread of the query planner failed'));
    worker.on('exit', () => this.#onExit());
    return worker;
  }

  #settle({ id, result }: ThreadReply): void {
    this.#waiting.get(id)?.resolve(result);
    this.#waiting.delete(id);
  }

  /** The task that the thread ended on is not retried, since it may be the cause. The rest goes to a new thread. */
  #onExit(): void {
    this.#worker = null;
    if (this.#state === 'starting' && !this.#isClosed) {
      this.#state = 'unavailable';
      for (const { resolve } of this.#waiting.values()) resolve(null);
      this.#waiting.clear();
    }
    const [first, ...others] = this.#waiting.values();
    first?.reject(new Error('The thread of the query planner ended.'));
    if (first !== undefined) this.#waiting.delete(first.request.id);
    if (others.length === 0) return;
    if (this.#isClosed) {
      for (const { reject } of others) reject(new Error('The thread of the query planner was closed.'));
      this.#waiting.clear();
      return;
    }
    const next = this.#start();
    this.#worker = next;
    for (const { request } of others) next.postMessage(request);
  }
}
