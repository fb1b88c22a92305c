import { Worker } from 'node:worker_threads';
import type { QueryPlan } from '@apollo/query-planner';
import { CodedError } from '../../../schema/errors.js';
import type { Log } from '../../../schema/log.js';
import type { PlanReply, PlanRequest, PlanThreadData } from './plan-messages.js';

/** The library's planner in a thread of its own: while it plans a new operation, others are answered. */
export interface PlannerThread {
  /**
   * The plan of an operation; null where the thread has none, and the caller plans it: while it starts for the first
   * time, and where the planner fails. Rejects when too many wait, or when the thread ended over it.
   */
  plan(text: string, operationName: string | undefined): Promise<QueryPlan | null>;
  close(): Promise<void>;
}

/** The heap of the thread, in mebibytes: a supergraph takes thirty of them, and the largest plans as much again. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
/** Operations that wait for their plan: more than are planned before any deadline. */
const MAX_WAITING = 1_000;

/** Only the built program has the file that the thread runs. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./plan-thread.js', import.meta.url) : null;

interface Waiting {
  resolve(plan: QueryPlan | null): void;
  reject(why: Error): void;
}

/** Starts the thread for a valid supergraph; null where the program runs from source. */
export function startPlannerThread(sdl: string, log: Log, script = SCRIPT): PlannerThread | null {
  return script === null ? null : new Thread(script, { sdl }, log);
}

class Thread implements PlannerThread {
  readonly #script: URL;
  readonly #data: PlanThreadData;
  readonly #log: Log;
  readonly #waiting = new Map<number, Waiting>();
  /** Null once it has ended, until the next operation starts another one. */
  #worker: Worker | null;
  /** Whether a thread was ever ready; null when the first one could not start, and none will. */
  #wasReady: boolean | null = false;
  #isClosed = false;
  #planned = 0;

  constructor(script: URL, data: PlanThreadData, log: Log) {
    this.#script = script;
    this.#data = data;
    this.#log = log;
    this.#worker = this.#start();
  }

  async plan(text: string, operationName: string | undefined): Promise<QueryPlan | null> {
    if (this.#wasReady !== true || this.#isClosed) return null;
    if (this.#waiting.size >= MAX_WAITING) {
      throw new CodedError('DEADLINE_EXCEEDED', 'Too many new operations wait for their query plan.');
    }
    this.#worker ??= this.#start();
    const id = this.#planned++;
    const planned = new Promise<QueryPlan | null>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker.postMessage({ id, text, operationName } satisfies PlanRequest);
    return planned;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    // Flags and variables of the process are not for it: it holds no secret and preloads nothing.
    const worker = new Worker(this.#script, {
      workerData: this.#data,
      resourceLimits: RESOURCE_LIMITS,
      execArgv: [],
      env: {},
    });
    worker.unref();
    worker.on('message', (message: 'ready' | PlanReply) => {
      if (message === 'ready') this.#wasReady = true;
      else this.#settle(message);
    });
    worker.on('error', (error) => this.#log.error({ err: error }, 'the thread of the query planner failed'));
    worker.on('exit', () => this.#ended());
    return worker;
  }

  #settle({ id, plan }: PlanReply): void {
    this.#waiting.get(id)?.resolve(plan);
    this.#waiting.delete(id);
  }

  /** What it was planning when it ended is not planned here: it may be what ended it. */
  #ended(): void {
    this.#worker = null;
    if (this.#wasReady === false) this.#wasReady = null;
    for (const { reject } of this.#waiting.values()) reject(new Error('The thread of the query planner ended.'));
    this.#waiting.clear();
  }
}
