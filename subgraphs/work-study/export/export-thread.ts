import type { Log } from '../../../kernel/log.js';
import { TaskThread } from '../../../runtime/process/task-thread.js';
import { FairQueue } from '../../rest/quota/fair-queue.js';
import { type AskTask, answering, type LoadTask, loading, type Outcome } from './export-tasks.js';
import { BrokenExportError } from './load.js';
import type { Reader } from './reading-bounds.js';

/** The database failed; `code` is that of SQLite, such as `SQLITE_CORRUPT`. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: unknown;

  constructor(message: string, code: unknown) {
    super(message);
    this.code = code;
  }
}

/** Only the built program has the file that a thread runs; else the same is done in this one. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./export-worker.js', import.meta.url) : null;
/** Limits on the heaps of threads, in mebibytes: codes of a load that is all different, the largest answers. */
const [LOAD_HEAP_MB, ASK_HEAP_MB] = [256, 192];

/** A thread that loads one export. */
export class LoadThread {
  readonly #run: (task: LoadTask) => Promise<unknown>;
  readonly #close: () => Promise<void>;

  constructor(log: Log) {
    const thread = SCRIPT && startThread<LoadTask>({ load: true, path: '' }, LOAD_HEAP_MB, log);
    const here = loading();
    this.#run = async (task) => resultOf((await thread?.run(task)) ?? here(task));
    this.#close = async () => {
      if (thread === null) here({ do: 'stop' });
      else await thread.close();
    };
  }

  /** Rejects with a BrokenExportError where the file cannot be an export, with a DatabaseError if it cannot be written. */
  run(task: LoadTask): Promise<unknown> {
    return this.#run(task);
  }

  close(): Promise<void> {
    return this.#close();
  }
}

interface Asking {
  readonly task: AskTask;
  done(outcome: Promise<unknown>): void;
}

/** A thread that answers questions to one export: one after the other, callers in turns. */
export class AskThread {
  readonly #thread: TaskThread<AskTask, Outcome> | null;
  readonly #here: (task: AskTask) => Outcome;
  readonly #waiting = new FairQueue<Asking>();
  #isBusy = false;

  constructor(path: string, log: Log) {
    this.#thread = SCRIPT && startThread<AskTask>({ load: false, path }, ASK_HEAP_MB, log);
    this.#here = answering(path);
  }

  /** Rejects with a DatabaseError if the file cannot be read, and with the reason of the signal if that aborts first. */
  async ask<T>(task: AskTask, { request, caller, signal }: Omit<Reader, 'dryRun'>): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = promised<unknown>();
    const asking: Asking = { task, done: resolve };
    const leave = () => {
      this.#waiting.remove(asking);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.push(asking, { caller: caller ?? request, request });
    this.#next();
    try {
      return (await promise) as T;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  #next(): void {
    const [next] = this.#isBusy ? [] : this.#waiting.items();
    if (next === undefined) return;
    this.#waiting.serve(next);
    this.#isBusy = true;
    const answer = this.#answer(next.task).finally(() => {
      this.#isBusy = false;
      this.#next();
    });
    // Whoever asked may have left.
    answer.catch(() => {});
    next.done(answer);
  }

  async #answer(task: AskTask): Promise<unknown> {
    return resultOf((await this.#thread?.run(task)) ?? this.#here(task));
  }
}

function startThread<T>(data: { readonly load: boolean; readonly path: string }, heapMb: number, log: Log) {
  const script = SCRIPT as URL;
  return new TaskThread<T, Outcome>({ script, data, heapMb, name: 'the export', log });
}

function resultOf(outcome: Outcome): unknown {
  if ('result' in outcome) return outcome.result;
  const { name, code, message } = outcome.failure;
  throw name === 'BrokenExportError' ? new BrokenExportError(message) : new DatabaseError(message, code);
}

function promised<T>() {
  let resolve: (value: T | Promise<T>) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  return { promise, resolve, reject };
}
