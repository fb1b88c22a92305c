/** Threads that do what blocks: one loads an export, one answers questions to it. */
import { Sqlite } from '../../../database/sqlite.js';
import type { Log } from '../../../kernel/log.js';
import { TaskThread } from '../../../runtime/process/task-thread.js';
import { LoadedExport } from './ask.js';
import { ExportLoad, type LoadOptions, UnusableExport } from './load.js';

/** The export to load, or the path of the one to ask. */
export type ThreadData = { readonly load: LoadOptions } | { readonly ask: string };

/** A call of a method. */
interface Task {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What a call gave, or why it failed: errors lose their class between threads. */
type Outcome = { readonly result: unknown } | { readonly failure: { name: string; code: unknown; message: string } };

/** The database failed; `code` is that of SQLite, such as `SQLITE_CORRUPT`. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: unknown;

  constructor(message: string, code: unknown) {
    super(message);
    this.code = code;
  }
}

/** Does the calls, in whichever thread it is called. The file is opened with the first. */
export function serve(data: ThreadData): (task: Task) => Outcome {
  let opened: object | null = null;
  return ({ name, args }) => {
    try {
      if (opened === null && name === 'close') return { result: null };
      opened ??= 'load' in data ? new ExportLoad(data.load) : new LoadedExport(Sqlite.read(data.ask));
      const methods = opened as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
      return { result: methods[name]?.(...args) };
    } catch (error) {
      const { name: kind, message } = error instanceof Error ? error : new Error(String(error));
      return { failure: { name: kind, message, code: (error as { readonly code?: unknown }).code ?? null } };
    }
  };
}

/** Only the built program has the file that a thread runs; else the same is done in this one. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./export-worker.js', import.meta.url) : null;
/** Limit on the heap of a thread, in mebibytes: the posts of a load, the largest answers. */
const [HEAP_MB, YOUNG_MB] = [256, 16];

/** What can be called of a class. */
type Methods<T> = { [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => R : never };

/** An export that a thread loads or asks, one call after the other. */
export class ExportThread<T extends ExportLoad | LoadedExport> {
  readonly #thread: TaskThread<Task, Outcome> | null;
  readonly #here: (task: Task) => Outcome;

  constructor(data: ThreadData, log: Log) {
    this.#thread =
      SCRIPT && new TaskThread({ script: SCRIPT, data, heapMb: HEAP_MB, youngMb: YOUNG_MB, name: 'the export', log });
    this.#here = serve(data);
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
