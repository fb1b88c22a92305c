import { once } from 'node:events';
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
  /** Milliseconds without a task after which it ends, as only then it returns its memory; it never does if omitted. */
  readonly idleMs?: number;
  /** In a sentence, such as `the query planner`. */
  readonly name: string;
  readonly log: Log;
}

/**
 * Runs in the thread: does its tasks with what `open` makes of its data, one after another. A task at which that throws
 * is done again by its sender, which reports why.
 */
export function serveTasks<D, T, R>(
  open: (data: D) => (task: T) => R,
  { isBackground = true }: { readonly isBackground?: boolean } = {},
): void {
  // With fewer cores than threads, requests go first. Elsewhere than on Linux, this would apply to the whole process.
  if (platform() === 'linux' && isBackground) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const work = open(workerData as D);
  const resultOf = (task: T): R | null => {
    try {
      return work(task);
    } catch {
      return null;
    }
  };
  parentPort?.on('message', (task: T) => parentPort?.postMessage(resultOf(task)));
  parentPort?.postMessage('ready');
}

/**
 * A thread that does one task after another, so that requests are answered meanwhile. It starts with its first task. If
 * it ends, over a task or without one, the next task starts another one.
 */
export class TaskThread<T, R> {
  readonly #options: TaskThreadOptions;
  /** Null before the first task, and once it has ended, until there is new work. */
  #thread: { readonly worker: Worker; readonly exited: Promise<void>; readonly ended: AbortSignal } | null = null;
  /** State of the first thread: if it became ready, others may replace it; if it could not start, none does. */
  #state: 'starting' | 'ready' | 'unavailable' = 'starting';
  #isClosed = false;
  /** Tasks that have not ended. */
  #tasks = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Resolves once the tasks so far are done. */
  #free: Promise<unknown> = Promise.resolve();

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  /**
   * The result of a task; null if the thread cannot start or fails at it, and the caller has to do it. Rejects if the
   * thread ended while it did this task, which is not retried, since it may be the cause.
   */
  async run(task: T): Promise<R | null> {
    if (this.#isClosed) return null;
    clearTimeout(this.#idle);
    this.#tasks += 1;
    const result = this.#free.then(() => this.#send(task));
    this.#free = result.catch(() => {}).then(() => this.#ended());
    return result;
  }

  #ended(): void {
    this.#tasks -= 1;
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#tasks > 0) return;
    this.#idle = setTimeout(() => {
      const thread = this.#thread;
      this.#thread = null;
      void thread?.worker.terminate();
    }, idleMs).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.worker.terminate();
  }

  async #send(task: T): Promise<R | null> {
    const { name } = this.#options;
    if (this.#isClosed) throw new Error(`The thread of ${name} was closed.`);
    if (this.#state === 'unavailable') return null;
    try {
      const { worker, ended } = this.#thread ?? (await this.#start());
      worker.postMessage(task);
      return (await once(worker, 'message', { signal: ended }))[0];
    } catch (error) {
      // It fails before it exits: a thread for the next task that started meanwhile would be taken for this one.
      await this.#thread?.exited;
      if (this.#state === 'starting') this.#state = 'unavailable';
      if (this.#state === 'unavailable' && !this.#isClosed) return null;
      throw new Error(`The thread of ${name} ended.`, { cause: error });
    }
  }

  /** Resolves once it is ready for tasks. */
  async #start() {
    const { script, data, heapMb, name, log } = this.#options;
    // The thread needs no flags or variables of the process: so it holds no secret and preloads nothing.
    const worker = new Worker(script, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4 },
      execArgv: [],
      env: {},
    });
    worker.unref();
    const ending = new AbortController();
    worker.on('error', (error) => log.error({ err: error }, `the thread of ${name} failed`));
    const exited = new Promise<void>((resolve) =>
      worker.on('exit', () => {
        if (this.#thread?.worker === worker) this.#thread = null;
        ending.abort();
        resolve();
      }),
    );
    const thread = { worker, exited, ended: ending.signal };
    this.#thread = thread;
    await once(worker, 'message', { signal: ending.signal });
    this.#state = 'ready';
    return thread;
  }
}
