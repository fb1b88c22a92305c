/** Threads that do what blocks: one loads an export, one answers questions to it. */
import { Sqlite } from '../../../database/sqlite.js';
import type { Log } from '../../../kernel/log.js';
import { TaskThread } from '../../../runtime/process/task-thread.js';
import { LoadedExport } from './ask.js';
import { BrokenExportError, ExportLoad, type LoadOptions } from './load.js';

/** The export to load, or the path of the one to ask. */
export type ThreadData = { readonly load: LoadOptions } | { readonly ask: string };

/** A call of a method. */
export interface Task {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What a call gave, or why it failed: errors lose their class between threads. */
export type Outcome =
  | { readonly result: unknown }
  | { readonly failure: { readonly name: string; readonly code: unknown; readonly message: string } };

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
  let opened: ExportLoad | LoadedExport | null = null;
  return ({ name, args }) => {
    try {
      if (opened === null && name === 'close') return { result: null };
      opened ??= 'load' in data ? new ExportLoad(data.load) : new LoadedExport(Sqlite.read(data.ask));
      return {
        result: (opened as unknown as Record<string, (...args: readonly unknown[]) => unknown>)[name]?.(...args),
      };
    } catch (error) {
      const { name: kind, message } = error instanceof Error ? error : new Error(String(error));
      return { failure: { name: kind, message, code: (error as { readonly code?: unknown }).code ?? null } };
    }
  };
}

/** Only the built program has the file that a thread runs; else the same is done in this one. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./export-worker.js', import.meta.url) : null;
/** Limits on the heaps of threads, in mebibytes: the SIRETs of a load, the largest answers. */
const [LOAD_HEAP_MB, ASK_HEAP_MB] = [256, 192];

/** What can be called of a class. */
type Methods<T> = { [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => R : never };

/** An export that a thread loads or asks, one call after the other. */
export class ExportThread<T extends ExportLoad | LoadedExport> {
  readonly #thread: TaskThread<Task, Outcome> | null;
  readonly #here: (task: Task) => Outcome;

  constructor(data: ThreadData, log: Log) {
    const heapMb = 'load' in data ? LOAD_HEAP_MB : ASK_HEAP_MB;
    this.#thread = SCRIPT && new TaskThread({ script: SCRIPT, data, heapMb, name: 'the export', log });
    this.#here = serve(data);
  }

  /** Calls a method. Rejects with a BrokenExportError where a file cannot be an export, with a DatabaseError where it cannot be read or written. */
  async call<K extends keyof T & string>(
    name: K,
    ...args: Parameters<Methods<T>[K]>
  ): Promise<ReturnType<Methods<T>[K]>> {
    const outcome = (await this.#thread?.run({ name, args })) ?? this.#here({ name, args });
    if ('result' in outcome) return outcome.result as ReturnType<Methods<T>[K]>;
    const { name: kind, code, message } = outcome.failure;
    throw kind === 'BrokenExportError' ? new BrokenExportError(message) : new DatabaseError(message, code);
  }

  async close(): Promise<void> {
    if (this.#thread === null) this.#here({ name: 'close', args: [] });
    await this.#thread?.close();
  }
}
