/** Threads that do what blocks: one loads an export, one answers questions to it. */
import type { Log } from '../../../kernel/log.js';
import { TaskThread } from '../../../runtime/process/task-thread.js';
import { LoadedExport } from './ask.js';
import { ExportLoad, type LoadOptions, UnusableExport } from './load.js';
import { type Outcome, serve, type Task } from './served-calls.js';

/** The export to load, or the path of the one to ask. */
export type ThreadData = { readonly load: LoadOptions } | { readonly ask: string };

/** The database failed; `code` is that of SQLite, such as `SQLITE_CORRUPT`. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: unknown;

  constructor(message: string, code: unknown) {
    super(message);
    this.code = code;
  }
}

/** Only the built program has the files that threads run; else the same is done in this one. */
const IS_BUILT = import.meta.url.endsWith('.js');
/** What a thread runs, and its heap in mebibytes: for the posts of a load, and the rows that are under way; for answers. */
const LOADING = { script: new URL('./load-worker.js', import.meta.url), heapMb: 256 };
const ASKING = { script: new URL('./ask-worker.js', import.meta.url), heapMb: 256 };

/** What can be called of a class. */
type Methods<T> = { [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => R : never };

/** An export that a thread loads or asks, one call after the other. */
export class ExportThread<T extends ExportLoad | LoadedExport> {
  readonly #thread: TaskThread<Task, Outcome> | null;
  readonly #here: (task: Task) => Outcome;

  constructor(data: ThreadData, log: Log) {
    const isLoad = 'load' in data;
    const options = { ...(isLoad ? LOADING : ASKING), data, name: 'the export', log };
    this.#thread = IS_BUILT ? new TaskThread(options) : null;
    this.#here = serve(() => (isLoad ? new ExportLoad(data.load) : LoadedExport.open(data.ask)));
  }

  /** Calls a method. Rejects with an UnusableExport where a file cannot be an export, with a DatabaseError where it cannot be read or written. */
  async call<K extends keyof T & string>(name: K, ...args: Parameters<Methods<T>[K]>) {
    const outcome = (await this.#thread?.run({ name, args })) ?? this.#here({ name, args });
    if ('result' in outcome) return outcome.result as ReturnType<Methods<T>[K]>;
    const { name: kind, code, message } = outcome.failure;
    throw kind === 'UnusableExport' ? new UnusableExport('broken', message) : new DatabaseError(message, code);
  }

  async close(): Promise<void> {
    if (this.#thread === null) this.#here({ name: 'close', args: [] });
    await this.#thread?.close();
  }
}
