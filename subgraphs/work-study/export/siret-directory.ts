import { CodedError } from '../../../schema/errors.js';
import type { Log } from '../../../schema/log.js';
import type { Clock } from '../../rest/ports/clock.js';
import { type ExportFile, receiveExport, reopenExport } from './export-file.js';

/** The service's answer about its daily file. */
export interface ExportLink {
  /** Valid for two minutes; fetched without a key (work-study 7.6). */
  readonly url: string;
  /** Date of the file: it moves when there is a newer one. */
  readonly lastUpdate: string;
}

export interface SiretDirectoryOptions {
  readonly exportLink: (signal: AbortSignal) => Promise<ExportLink>;
  readonly download: (url: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly clock: Clock;
  /** Where the file survives a restart, a folder of this service alone; null keeps nothing. */
  readonly folder: string | null;
  readonly log: Log;
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

/** The file is made once a day; the service allows few calls, so its age is asked no more often than this. */
const CHECK_MS = 60 * 60 * 1000;

/** After a failure the next question waits this long, twice as long after each further one, up to `CHECK_MS`. */
const FIRST_PAUSE_MS = 60 * 1000;

/** Creates a directory that costs nothing before its first use. It keeps the last whole export until a newer is in. */
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
    if (this.#current !== null) log.info(summary(this.#current), 'Took up the export of an earlier run.');
  }

  async #renew(): Promise<void> {
    await this.#restore();
    const { exportLink, download, folder, log } = this.#options;
    const { signal } = this.#closing;
    const { url, lastUpdate } = await exportLink(signal);
    if (this.#current?.lastUpdate === lastUpdate) return;
    const received = await receiveExport({ pieces: download(url, signal), lastUpdate, folder });
    const replaced = this.#current;
    this.#current = received;
    log.info(summary(received), 'Indexed the export.');
    await replaced?.close();
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#refused = false;
    this.#notBeforeMs = this.#options.clock.monotonicMs() + CHECK_MS;
  }

  #failed(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#refused = isRefusal(error);
    const pauseMs = this.#refused ? CHECK_MS : Math.max(FIRST_PAUSE_MS * 2 ** this.#failures, retryAfterMs(error));
    this.#failures++;
    this.#notBeforeMs = this.#options.clock.monotonicMs() + Math.min(pauseMs, CHECK_MS);
    this.#options.log.warn({ err: error, pauseMs }, 'The export could not be renewed.');
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

function isRefusal(error: unknown): boolean {
  return (
    error instanceof CodedError &&
    ['SOURCE_OFF', 'PERMISSION_DENIED', 'CREDENTIALS_REQUIRED', 'CREDENTIALS_REJECTED'].includes(error.code)
  );
}

function retryAfterMs(error: unknown): number {
  const seconds = error instanceof CodedError ? error.extensions['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : 0;
}

function summary({ lastUpdate, index }: ExportFile): object {
  return { lastUpdate, rows: index.size, sirets: index.siretCount };
}
