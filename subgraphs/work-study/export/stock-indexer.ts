import { open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Log } from '../../../kernel/log.js';
import { stepsInTurns } from '../../../runtime/event-loop/turns.js';
import { TaskThread } from '../../../runtime/process/task-thread.js';
import { startWriting } from '../../../runtime/stores/cache-folder.js';
import { openSealed, readSeal, type SealCheck } from '../../../runtime/stores/sealed-file.js';
import { prepareCommuneIndex } from '../communes/commune-index.js';
import { type BuildTask, buildStock } from './builder.js';
import { readStock, type StoredStock } from './columns.js';
import { explainFullDisk } from './receive-export.js';
import { Stock } from './stock.js';
import type { ExportFile } from './stored-export.js';

/** Limit on the thread's heap: different words take most of it, a hundred bytes each. */
const HEAP_MB = 1024;

/** Only the built program has the file that the thread runs. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./builder-worker.js', import.meta.url) : null;

/** Finds or builds the columns of exports: in a thread of its own if it can, else in turns of the event loop. */
export class StockIndexer {
  readonly #check: SealCheck;
  #building: BuildTask | null = null;

  constructor(check: SealCheck) {
    this.#check = check;
  }

  /** Gives the export its stock if an earlier run or another replica has built it. */
  async reopen(file: ExportFile): Promise<void> {
    const { stockPath } = file;
    const sealed = stockPath === null ? null : await openSealed(stockPath, this.#check);
    if (sealed === null) return;
    const stored = await readStock(sealed).catch((error: unknown) => {
      this.#check.log.warn({ err: error }, 'the columns of the export are not used: they are built again');
      return null;
    });
    const { lastUpdate, bytes } = stored?.header ?? {};
    if (stored !== null && lastUpdate === file.lastUpdate && bytes === file.file.size) return give(file, stored);
    await sealed.close();
    await sealed.remove();
  }

  /** Builds the stock of an export that has none. Rejects if that fails or is aborted; what was written is then gone. */
  build(file: ExportFile, signal: AbortSignal): Promise<void> {
    return file.hold(() => this.#build(file, signal));
  }

  /** Share that is done of what is being built, from 0 to 1; null if nothing is. */
  progress(): number | null {
    return this.#building && (this.#building.progress[0] ?? 0) / this.#building.header.bytes;
  }

  async #build(file: ExportFile, signal: AbortSignal): Promise<void> {
    const { markKeys, log } = this.#check;
    const { lastUpdate, stockPath } = file;
    const { name, end } = startWriting('export');
    const path = join(stockPath === null ? tmpdir() : dirname(stockPath), `${name}.stock.part`);
    try {
      const handle = await open(path, 'wx+', 0o600);
      try {
        // Nothing sweeps the temporary folder: without a name, the file goes with this process, however that ends.
        if (stockPath === null) await rm(path);
        const { handle: exported, size: bytes, digests } = file.file;
        const task: BuildTask = {
          fd: exported.fd,
          digests,
          header: { lastUpdate, bytes },
          columnsFd: handle.fd,
          sealedPath: stockPath ?? path,
          markKey: markKeys[0],
          progress: new Float64Array(new SharedArrayBuffer(8)),
        };
        this.#building = task;
        await run(task, log, signal);
        const sealed = await readSeal(handle, task.sealedPath, markKeys);
        const stored = sealed && (await readStock(sealed));
        if (stored === null) throw new Error('The columns of the export were not written as a whole.');
        if (stockPath !== null) await rename(path, stockPath);
        await give(file, stored);
        const { rows, unreadable, groups } = stored.columns;
        const [words, repeated] = [stored.words?.ends.length ?? null, groups.signals.length - 1];
        log.info({ lastUpdate, rows, unreadable, words, repeated }, 'offers of the export indexed');
      } catch (error) {
        await handle.close();
        await rm(path, { force: true }).catch(() => {});
        throw error;
      }
    } catch (error) {
      throw explainFullDisk(error, stockPath === null ? 'the temporary folder' : 'CACHE_DIR');
    } finally {
      end();
      this.#building = null;
    }
  }
}

async function give(file: ExportFile, stored: StoredStock): Promise<void> {
  // Ahead of the first row that needs it, and in turns.
  await prepareCommuneIndex();
  file.stock = new Stock(stored);
}

/** Runs a task to its end. Rejects with what went wrong. */
async function run(task: BuildTask, log: Log, signal: AbortSignal): Promise<void> {
  // A thread for one task: what it takes is free again afterwards.
  const thread =
    SCRIPT && new TaskThread<BuildTask, string>({ script: SCRIPT, data: null, heapMb: HEAP_MB, name: 'export', log });
  const abort = () => void thread?.close();
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    const problem = (await thread?.run(task)) ?? null;
    if (problem !== null && problem !== '') {
      const [code = ''] = problem.split(':');
      throw Object.assign(new Error(problem), { code });
    }
    if (problem !== null) return;
  } finally {
    signal.removeEventListener('abort', abort);
    await thread?.close();
  }
  await prepareCommuneIndex();
  await stepsInTurns(until(signal, buildStock(task)));
}

/** The same steps. Throws when the signal aborts. */
function* until(signal: AbortSignal, steps: Generator<void, void>): Generator<void, void> {
  for (const step of steps) {
    signal.throwIfAborted();
    yield step;
  }
}
