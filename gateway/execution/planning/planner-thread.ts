import { Worker } from 'node:worker_threads';
import type { Log } from '../../../schema/log.js';
import type { ThreadData, ThreadReply, ThreadRequest, ThreadResults, ThreadTask } from './thread-messages.js';

/** The libraries' validation and planning, in a thread of their own so that other requests are answered meanwhile. */
export interface PlannerThread {
  /**
   * The errors of a document; null if the thread cannot start or fails at it, and the caller has to validate. Rejects
   * if the thread ended while it validated this document.
   */
  validate(text: string): Promise<ThreadResults['validate'] | null>;
  /** The plan of a valid operation; null, or rejects, in the same cases. */
  plan(text: string, operationName: string | undefined): Promise<ThreadResults['plan'] | null>;
  close(): Promise<void>;
}

/** Limits on the thread's heap: a supergraph takes thirty mebibytes, and the largest plans as much again. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };

/** Only the built program has the file that the thread runs. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./planner-worker.js', import.meta.url) : null;

interface Waiting {
  readonly request: ThreadRequest;
  resolve(result: ThreadReply['result']): void;
  reject(why: Error): void;
}

/** Starts the thread for a valid supergraph; null if the program runs from source. */
export function startPlannerThread(data: ThreadData, log: Log, script = SCRIPT): PlannerThread | null {
  return script === null ? null : new Thread(script, data, log);
}

class Thread implements PlannerThread {
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

  validate(text: string): Promise<ThreadResults['validate'] | null> {
    return this.#run({ kind: 'validate', text }) as Promise<ThreadResults['validate'] | null>;
  }

  plan(text: string, operationName: string | undefined): Promise<ThreadResults['plan'] | null> {
    return this.#run({ kind: 'plan', text, operationName }) as Promise<ThreadResults['plan'] | null>;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  async #run(task: ThreadTask): Promise<ThreadReply['result']> {
    if (this.#state === 'unavailable' || this.#isClosed) return null;
    this.#worker ??= this.#start();
    const request = { id: this.#sent++, task };
    const result = new Promise<ThreadReply['result']>((resolve, reject) =>
      this.#waiting.set(request.id, { request, resolve, reject }),
    );
    this.#worker.postMessage(request);
    return result;
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
