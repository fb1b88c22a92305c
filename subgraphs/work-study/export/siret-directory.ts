import type { Clock } from '../../rest/ports/clock.js';
import type { ExportFile } from './export-file.js';
import { reopenExport } from './export-folder.js';
import { CHECK_MS, type ExportSource, newestExport } from './newest-export.js';
import { isRefusal, pauseAfter } from './pause-after.js';

export interface SiretDirectoryOptions extends ExportSource {
  readonly clock: Clock;
}

/** `cold`: not asked for yet, or failed. `refused`: the service gives this key no export. */
export type DirectoryState = 'cold' | 'loading' | 'ready' | 'refused';

/** All offers and likely recruiters of the service, by SIRET: what its search has no filter for. */
export interface SiretDirectory {
  state(): DirectoryState;
  /** Date of the export that is in use, as the service gives it; null while there is none. */
  lastUpdate(): string | null;
  /** Loads or renews the export if it is time to. Resolves when that is done or has failed; never rejects. */
  start(): Promise<void>;
  /**
   * The rows of a SIRET, offers and recruiters, in the order of the export: empty when it has none. Null while there
   * is no export: the first question fetches it in the background.
   */
  find(siret: string): Promise<readonly unknown[] | null>;
  close(): Promise<void>;
}

/** Nobody asked for so long: then it is not renewed until somebody does. */
const UNUSED_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a directory that costs nothing before its first use, and from then on renews itself. It keeps the last whole
 * export until a newer is in.
 */
export function createSiretDirectory(options: SiretDirectoryOptions): SiretDirectory {
  return new Directory(options);
}

class Directory implements SiretDirectory {
  readonly #options: SiretDirectoryOptions;
  readonly #closing = new AbortController();
  #current: ExportFile | null = null;
  #restored: Promise<void> | null = null;
  #renewing: Promise<void> | null = null;
  #failures = 0;
  #refused = false;
  /** Monotonic time before which nothing is asked. */
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #callOff = () => {};

  constructor(options: SiretDirectoryOptions) {
    this.#options = options;
  }

  state(): DirectoryState {
    if (this.#current !== null) return 'ready';
    if (this.#renewing !== null) return 'loading';
    return this.#refused ? 'refused' : 'cold';
  }

  lastUpdate(): string | null {
    return this.#current?.lastUpdate ?? null;
  }

  start(): Promise<void> {
    if (this.#renewing !== null) return this.#renewing;
    if (this.#closing.signal.aborted || this.#options.clock.monotonicMs() < this.#notBeforeMs) return Promise.resolve();
    this.#renewing = this.#renew()
      .then(() => this.#succeeded())
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#renewing = null;
      });
    return this.#renewing;
  }

  async find(siret: string): Promise<readonly unknown[] | null> {
    if (this.#closing.signal.aborted) return null;
    this.#usedAtMs = this.#options.clock.monotonicMs();
    await this.#restore();
    void this.start();
    const file = this.#current;
    if (file === null) return null;
    try {
      return await file.read(siret);
    } catch (error) {
      await this.#discard(file, error);
      return null;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#callOff();
    await this.#renewing;
    await this.#current?.close();
    this.#current = null;
  }

  /** Takes up what an earlier run left, once. */
  #restore(): Promise<void> {
    this.#restored ??= this.#reopen();
    return this.#restored;
  }

  async #reopen(): Promise<void> {
    const { folder, log } = this.#options;
    if (folder === null) return;
    this.#current = await reopenExport(folder);
    if (this.#current !== null) log.info(this.#current.summary(), 'Took up the export of an earlier run.');
  }

  async #renew(): Promise<void> {
    await this.#restore();
    const { shared } = this.#options;
    if (shared === null) await this.#takeNewest();
    else await shared.inTurn(() => this.#takeNewest(), this.#closing.signal);
  }

  async #takeNewest(): Promise<void> {
    const newest = await newestExport(this.#options, this.lastUpdate(), this.#closing.signal);
    if (newest === null) return;
    const replaced = this.#current;
    this.#current = newest;
    await replaced?.close();
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#refused = false;
    this.#pause(CHECK_MS);
  }

  #failed(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#refused = isRefusal(error);
    const pauseMs = pauseAfter(error, this.#failures);
    this.#failures++;
    this.#options.log.warn({ err: error, pauseMs }, 'The export could not be renewed.');
    this.#pause(pauseMs);
  }

  #pause(ms: number): void {
    const { clock } = this.#options;
    this.#notBeforeMs = clock.monotonicMs() + ms;
    this.#callOff();
    if (this.#closing.signal.aborted) return;
    this.#callOff = clock.after(ms, () => {
      if (clock.monotonicMs() - this.#usedAtMs < UNUSED_MS) void this.start();
    });
  }

  /** Forgets a file that can no longer be read, so that the next question fetches it again. */
  async #discard(file: ExportFile, error: unknown): Promise<void> {
    this.#options.log.warn({ err: error }, 'The file of the export can no longer be read.');
    if (this.#current !== file) return;
    this.#current = null;
    this.#notBeforeMs = Number.NEGATIVE_INFINITY;
    await file.close();
  }
}
