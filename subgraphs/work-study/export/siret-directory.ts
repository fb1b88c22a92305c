import { CodedError, type ErrorCode } from '../../../kernel/errors.js';
import { type Clock, sleep } from '../../rest/ports/ports.js';
import { BrokenExportError } from './load.js';
import { CHECK_MS, type ExportSource, newestExport } from './newest-export.js';
import type { Reader } from './reading-bounds.js';
import { NoSpaceError, ShrunkenExportError } from './receive-export.js';
import { type ExportFile, reopenExport, setAside, sweepExports } from './stored-export.js';

interface SiretDirectoryOptions extends Omit<ExportSource, 'onIndexed' | 'wallMs'> {
  readonly clock: Clock;
}

/** `cold`: not loaded yet, or failed. `refused`: the service refuses this key the export. */
type DirectoryState = 'cold' | 'loading' | 'ready' | 'refused';

/** So long after the last look-up, or the warm-up, the export is no longer refreshed until the next look-up. */
const UNUSED_MS = 24 * 60 * 60 * 1000;

/** How far a load has got: bytes that were received, of how many, and the share that is done of what follows. */
interface Progress {
  readonly received: number;
  readonly length: number | null;
  readonly indexed: number | null;
}

const NO_PROGRESS: Progress = { received: 0, length: null, indexed: null };
/** What follows the last byte takes so many times as long as receiving it. */
const INDEXING = 0.6;
/** With a greater share of a load done, it is worth waiting for. */
const NEARLY = 0.95;

/**
 * All offers and likely recruiters of the service by SIRET, for which its search has no filter. The directory costs
 * nothing until it is warmed up or used, and then refreshes itself. It uses the last complete export until a newer one
 * has arrived.
 */
export class SiretDirectory {
  readonly #options: SiretDirectoryOptions;
  readonly #closing = new AbortController();
  #current: ExportFile | null = null;
  #restored: Promise<void> | null = null;
  #isRestored = false;
  #refreshing: Promise<void> | null = null;
  #progress = NO_PROGRESS;
  #failures = 0;
  #refused = false;
  /** Why the last try to load the export failed; null if it did not. */
  #failure: unknown = null;
  /** The last export that was refused because it is much smaller than the one in use. */
  #shrunken: ShrunkenExportError | null = null;
  /** Monotonic time before which no refresh starts. */
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #callOff = () => {};

  constructor(options: SiretDirectoryOptions) {
    this.#options = options;
  }

  state(): DirectoryState {
    if (this.#current !== null) return 'ready';
    if (this.#refreshing !== null) return 'loading';
    return this.#refused ? 'refused' : 'cold';
  }

  /** In words, if the last try to load the export failed because the disk has no room for it; else null. */
  shortage(): string | null {
    return this.#failure instanceof NoSpaceError ? this.#failure.message : null;
  }

  /** In words, why the last try to load the export failed; null if it did not. */
  failure(): string | null {
    if (this.#failure === null) return null;
    if (this.#failure instanceof BrokenExportError) return this.#failure.message;
    return this.shortage() ?? 'the last download of the daily export failed';
  }

  /** Seconds until loading the export is tried again after a failure, at least 1. */
  secondsToTry(): number {
    return Math.max(1, Math.ceil((this.#notBeforeMs - this.#options.clock.monotonicMs()) / 1000));
  }

  /** The service's date of the export in use; null while there is none. */
  lastUpdate(): string | null {
    return this.#current?.lastUpdate ?? null;
  }

  /** Changes whenever other rows can be read or asked. */
  version(): string {
    return String(this.lastUpdate());
  }

  /**
   * The export in use; null while there is none, in which case loading it starts in the background, unless `refreshes` is
   * false. Whoever reads it holds it.
   */
  current(refreshes = true): ExportFile | null {
    if (this.#closing.signal.aborted) return null;
    if (refreshes) void this.#used();
    return this.#current;
  }

  /** Share that is done of the load in progress, from 0 to 1; null without one, or if it is unknown. */
  progress(): number | null {
    const { received, length, indexed } = this.#progress;
    if (this.#refreshing === null) return null;
    if (indexed !== null) return (1 + INDEXING * indexed) / (1 + INDEXING);
    return length === null ? null : Math.min(1, received / length) / (1 + INDEXING);
  }

  /** Whether the first load may be done in a moment: what an earlier run left is being opened, or little is left. */
  isNearlyLoaded(): boolean {
    if (this.#current !== null || this.#refreshing === null) return false;
    return !this.#isRestored || (this.progress() ?? 0) > NEARLY;
  }

  /** The export is refreshed as long as it is used. */
  #used(): Promise<void> {
    this.#usedAtMs = this.#options.clock.monotonicMs();
    return this.refreshIfDue();
  }

  /** Loads the export before the first query, and keeps trying for a day. Resolves like `refreshIfDue`. */
  warmUp(): Promise<void> {
    return this.#used();
  }

  /** Loads or refreshes the export if it is due. Resolves when that is done or has failed; never rejects. */
  refreshIfDue(): Promise<void> {
    if (this.#refreshing !== null) return this.#refreshing;
    if (this.#closing.signal.aborted || this.#options.clock.monotonicMs() < this.#notBeforeMs) return Promise.resolve();
    this.#progress = NO_PROGRESS;
    this.#refreshing = this.#refresh()
      .then(() => this.#succeeded())
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#refreshing = null;
      });
    return this.#refreshing;
  }

  /**
   * The rows of each SIRET, offers and recruiters, in the order of the export; empty when there are none, with null for
   * a row that cannot be read. In place of rows with which the reader would read too much, the error that says so. Null
   * while there is no export, in which case the look-up starts loading it in the background, unless it is a dry run.
   */
  async findAll(
    sirets: readonly string[],
    reader: Reader,
  ): Promise<readonly (readonly unknown[] | CodedError | null)[]> {
    const nothing = sirets.map(() => null);
    if (this.#closing.signal.aborted) return nothing;
    if (reader.dryRun !== true) this.#usedAtMs = this.#options.clock.monotonicMs();
    if (this.#current === null) await this.#restore();
    if (reader.dryRun !== true) void this.refreshIfDue();
    const file = this.#current;
    if (file === null) return nothing;
    try {
      return await file.readSirets(sirets, reader);
    } catch (error) {
      if (reader.signal.aborted) throw error;
      await this.discard(file, error);
      return nothing;
    }
  }

  /** Resolves when the first load is done or has failed; at the latest after `maxMs`, or when the signal aborts. */
  async loaded(maxMs: number, signal: AbortSignal): Promise<void> {
    if (this.#current !== null || this.#refreshing === null) return;
    const waiting = new AbortController();
    const timeout = sleep(maxMs, this.#options.clock, AbortSignal.any([signal, waiting.signal]));
    const opened = this.#restore().then(() => (this.#current === null ? this.#refreshing : null));
    await Promise.race([opened, timeout.catch(() => {})]);
    waiting.abort();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#callOff();
    await this.#refreshing;
    await this.#current?.close();
    this.#current = null;
  }

  /** Opens, once, the export that an earlier run left. */
  #restore(): Promise<void> {
    this.#restored ??= this.#reopen().finally(() => {
      this.#isRestored = true;
    });
    return this.#restored;
  }

  async #reopen(): Promise<void> {
    const { folder, log } = this.#options;
    if (folder === null) return;
    await sweepExports(folder, true);
    const file = await reopenExport(folder, log);
    if (file === null) return;
    this.#current = file;
    log.info(file.about, 'using the export of an earlier run');
  }

  async #refresh(): Promise<void> {
    await this.#restore();
    const { shared } = this.#options;
    if (shared === null) await this.#takeNewest();
    else await shared.inTurn(() => this.#takeNewest(), this.#closing.signal);
  }

  async #takeNewest(): Promise<void> {
    const { download, exportLink, clock } = this.#options;
    const source: ExportSource = {
      ...this.#options,
      wallMs: () => clock.wallMs(),
      onIndexed: (indexed) => {
        this.#progress = { ...this.#progress, indexed };
      },
      exportLink: async (signal) => {
        const link = await exportLink(signal);
        // It would be as small as an hour ago.
        if (this.#shrunken?.lastUpdate === link.lastUpdate) throw this.#shrunken;
        return link;
      },
      download: (url, signal, onLength) => {
        const expect = (length: number) => {
          this.#progress = { ...this.#progress, length };
          onLength?.(length);
        };
        return this.#counted(download(url, signal, expect));
      },
    };
    const current = this.#current;
    const previous = current && { lastUpdate: current.lastUpdate, rows: current.about.rows };
    const newest = await newestExport(source, previous, this.#closing.signal);
    if (newest === null) return;
    this.#current = newest;
    await current?.close();
  }

  async *#counted(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of pieces) {
      this.#progress = { ...this.#progress, received: this.#progress.received + piece.length };
      yield piece;
    }
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#refused = false;
    this.#failure = null;
    this.#options.log.debug({ lastUpdate: this.lastUpdate() }, 'export up to date');
    this.#pause(CHECK_MS);
  }

  #failed(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#refused = isRefusal(error);
    this.#failure = error;
    if (error instanceof ShrunkenExportError) this.#shrunken = error;
    const pauseMs = pauseAfter(error, this.#failures);
    this.#failures++;
    this.#options.log.warn({ err: error, pauseMs }, 'export not refreshed');
    this.#pause(pauseMs);
  }

  #pause(ms: number): void {
    const { clock } = this.#options;
    this.#notBeforeMs = clock.monotonicMs() + ms;
    this.#callOff();
    if (this.#closing.signal.aborted) return;
    this.#callOff = clock.after(ms, () => {
      if (clock.monotonicMs() - this.#usedAtMs < UNUSED_MS) void this.refreshIfDue();
    });
  }

  /** Drops a file that can no longer be read, so that the next look-up fetches it again. */
  async discard(file: ExportFile, error: unknown): Promise<void> {
    if (this.#current !== file) return;
    this.#current = null;
    this.#notBeforeMs = Number.NEGATIVE_INFINITY;
    await file.close();
    await setAside(file.path, error, this.#options.log);
  }
}

/** Pause after the first failure, doubled after each further one up to `CHECK_MS`. */
const FIRST_PAUSE_MS = 60 * 1000;

/** Failures that waiting does not resolve: this key may not have the export. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'SOURCE_OFF',
  'PERMISSION_DENIED',
  'CREDENTIALS_REQUIRED',
  'CREDENTIALS_REJECTED',
]);

/** Milliseconds until the next attempt: at least what the service says, and longer after each earlier failure. */
function pauseAfter(error: unknown, failuresBefore: number): number {
  const isForLong = isRefusal(error) || error instanceof ShrunkenExportError;
  const wantedMs = isForLong ? CHECK_MS : Math.max(FIRST_PAUSE_MS * 2 ** failuresBefore, retryAfterMs(error));
  return Math.min(wantedMs, CHECK_MS);
}

/** Whether the service refuses this key the export, so that retrying soon is useless. */
function isRefusal(error: unknown): boolean {
  return error instanceof CodedError && REFUSALS.has(error.code);
}

function retryAfterMs(error: unknown): number {
  const seconds = error instanceof CodedError ? error.extensions['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : 0;
}
