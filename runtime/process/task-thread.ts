import { constants, platform, setPriority } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Log } from '../../kernel/log.js';

/** What a thread is started with. */
export interface TaskThreadOptions {
  /** The compiled script that the thread runs, which calls `serveTasks`. */
  readonly script: URL;
  readonly data: unknown;
  /** Limit on its heap, in mebibytes. */
  readonly heapMb: number;
  /** In a sentence, such as `the query planner`. */
  readonly name: string;
  readonly log: Log;
}

/** A task with its number. */
interface TaskRequest<T> {
  readonly id: number;
  readonly task: T;
}

/** The result of a task; null if it failed. */
interface TaskReply<R> {
  readonly id: number;
  readonly result: R | null;
}

/**
 * Runs in the thread: does its tasks with what `open` makes of its data, one after another. A task at which that throws
 * is done again by its sender, which reports why.
 */
export function serveTasks<D, T, R>(
  open: (data: D) => (task: T) => R,
  { isBackground = () => true }: { readonly isBackground?: (data: D) => boolean } = {},
): void {
  // With fewer cores than threads, requests go first. Elsewhere than on Linux, this would apply to the whole process.
  if (platform() === 'linux' && isBackground(workerData as D)) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const work = open(workerData as D);
  const resultOf = (task: T): R | null => {
    try {
      return work(task);
    } catch {
      return null;
    }
  };
  parentPort?.on('message', ({ id, task }: TaskRequest<T>) => {
    parentPort?.postMessage({ id, result: resultOf(task) } satisfies TaskReply<R>);
  });
  parentPort?.postMessage('ready');
}

interface Waiting<T, R> {
  readonly request: TaskRequest<T>;
  resolve(result: R | null): void;
  reject(why: Error): void;
}

/**
 * A thread that does one task after another, so that requests are answered meanwhile. It starts with its first task. If
 * it ends, the next task starts another one.
 */
export class TaskThread<T, R> {
  readonly #options: TaskThreadOptions;
  /** In the order in which the thread takes them. */
  readonly #waiting = new Map<number, Waiting<T, R>>();
  /** Null before the first task, and once it has ended, until there is new work. */
  #worker: Worker | null = null;
  /** State of the first thread: if it became ready, others may replace it; if it could not start, none does. */
  #state: 'starting' | 'ready' | 'unavailable' = 'starting';
  #isClosed = false;
  #sent = 0;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  /**
   * The result of a task; null if the thread cannot start or fails at it, and the caller has to do it. Rejects if the
   * thread ended while it did this task.
   */
  async run(task: T): Promise<R | null> {
    if (this.#state === 'unavailable' || this.#isClosed) return null;
    this.#worker ??= this.#start();
    const request = { id: this.#sent++, task };
    const result = new Promise<R | null>((resolve, reject) =>
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
    const { script, data, heapMb, name, log } = this.#options;
    // The thread needs no flags or variables of the process: so it holds no secret and preloads nothing.
    const worker = new Worker(script, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4 },
      execArgv: [],
      env: {},
    });
    worker.unref();
    worker.on('message', (message: 'ready' | TaskReply<R>) => {
      if (message === 'ready') this.#state = 'ready';
      else this.#settle(message);
    });
    worker.on('error', (error) => log.error({ err: error }, `the thread of ${name} failed`));
    worker.on('exit', () => this.#onExit());
    return worker;
  }

  #settle({ id, result }: TaskReply<R>): void {
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
    first?.reject(new Error(`The thread of ${this.#options.name} ended.`));
    if (first !== undefined) this.#waiting.delete(first.request.id);
    if (others.length === 0) return;
    if (this.#isClosed) {
      for (const { reject } of others) reject(new Error(`The thread of ${this.#options.name} was closed.`));
      this.#waiting.clear();
      return;
    }
    const next = this.#start();
    this.#worker = next;
    for (const { request } of others) next.postMessage(request);
  }
}
