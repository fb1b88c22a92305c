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
  #refreshing: Promise<void> | null = null;
  #progress: LoadProgress;
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
  #arrived = createMoment();

  constructor(options: SiretDirectoryOptions) {
    this.#options = options;
    this.#progress = new LoadProgress(options.clock);
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

  /** Estimated bytes of heap of the rows in memory. */
  bytes(): number {
    return this.#current?.bytes() ?? 0;
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
    return this.#refreshing === null ? null : this.#progress.share();
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
    this.#progress = new LoadProgress(this.#options.clock);
    this.#refreshing = this.#refresh()
      .then(() => this.#succeeded())
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#refreshing = null;
      });
    return this.#refreshing;
  }

  /** What is in memory of the rows of a SIRET (`findAll`); undefined if they have to be read. */
  cached(siret: string): readonly unknown[] | undefined {
    return this.#closing.signal.aborted ? undefined : this.#current?.cached(siret);
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

  /**
   * Resolves when the first load is done; at once when none is in progress or it is unlikely to finish within `maxMs`;
   * at the latest after `maxMs`, or when the signal aborts. Never rejects.
   */
  async nearlyLoaded(maxMs: number, signal: AbortSignal): Promise<void> {
    if (this.#progress.msLeft() <= maxMs) await this.loaded(maxMs, signal);
  }

  /** Resolves when the first load is done or has failed; at the latest after `maxMs`, or when the signal aborts. */
  async loaded(maxMs: number, signal: AbortSignal): Promise<void> {
    if (this.#current !== null || this.#refreshing === null) return;
    const waiting = new AbortController();
    const timeout = sleep(maxMs, this.#options.clock, AbortSignal.any([signal, waiting.signal]));
    await Promise.race([this.#refreshing, this.#arrived.promise, timeout.catch(() => {})]);
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
    this.#restored ??= this.#reopen();
    return this.#restored;
  }

  async #reopen(): Promise<void> {
    const { folder, log } = this.#options;
    if (folder === null) return;
    await sweepExports(folder, true);
    const file = await reopenExport(folder, log);
    if (file === null) return;
    this.#use(file);
    log.info(file.about, 'using the export of an earlier run');
  }

  async #refresh(): Promise<void> {
    await this.#restore();
    const { shared } = this.#options;
    if (shared === null) await this.#takeNewest();
    else await shared.inTurn(() => this.#takeNewest(), this.#closing.signal);
  }

  async #takeNewest(): Promise<void> {
    const progress = this.#progress;
    const { download, exportLink } = this.#options;
    const source: ExportSource = {
      ...this.#options,
      wallMs: () => this.#options.clock.wallMs(),
      onIndexed: (share) => progress.indexed(share),
      exportLink: async (signal) => {
        const link = await exportLink(signal);
        // It would be as small as an hour ago.
        if (this.#shrunken?.lastUpdate === link.lastUpdate) throw this.#shrunken;
        return link;
      },
      download: (url, signal, onLength) => {
        const expect = (bytes: number) => {
          progress.expect(bytes);
          onLength?.(bytes);
        };
        return progress.counted(download(url, signal, expect));
      },
    };
    const current = this.#current;
    const previous = current && { lastUpdate: current.lastUpdate, rows: current.about.rows };
    const newest = await newestExport(source, previous, this.#closing.signal);
    if (newest === null) return;
    this.#use(newest);
    await current?.close();
  }

  #use(file: ExportFile): void {
    this.#current = file;
    this.#arrived.resolve();
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
    this.#arrived = createMoment();
    this.#notBeforeMs = Number.NEGATIVE_INFINITY;
    await file.close();
    await setAside(file.path, error, this.#options.log);
  }
}

/** Something that happens once. */
interface Moment {
  readonly promise: Promise<void>;
  resolve(): void;
}

function createMoment(): Moment {
  let resolve = () => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve: () => resolve() };
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

/** What follows the last byte takes so many times as long as receiving it. */
const INDEXING = 0.6;

/** How far a load of the export has got, so that queries can decide whether to wait for it. */
class LoadProgress {
  readonly #clock: Clock;
  readonly #startedMs: number;
  #received = 0;
  #length: number | null = null;
  /** When all had been received, and what share of the rest is done. */
  #receivedMs: number | null = null;
  #indexed = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** Sets the expected size of the file, in bytes. */
  expect(length: number): void {
    this.#length = length;
  }

  /** Says what share is done of what follows the last byte. */
  indexed(share: number): void {
    this.#receivedMs ??= this.#clock.monotonicMs() - this.#startedMs;
    this.#indexed = share;
  }

  /** Passes the pieces on unchanged, and counts their bytes. */
  async *counted(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const piece of pieces) {
      this.#received += piece.length;
      yield piece;
    }
  }

  /** Share that is done, from 0 to 1; null if it is unknown. */
  share(): number | null {
    if (this.#receivedMs !== null) return (1 + INDEXING * this.#indexed) / (1 + INDEXING);
    return this.#length === null ? null : Math.min(1, this.#received / this.#length) / (1 + INDEXING);
  }

  /** Estimated milliseconds left: at the pace so far, or as many as have passed if the length is unknown. */
  msLeft(): number {
    if (this.#receivedMs !== null) return this.#receivedMs * INDEXING * (1 - this.#indexed);
    const goneMs = this.#clock.monotonicMs() - this.#startedMs;
    if (this.#length === null || this.#received === 0) return goneMs;
    return (goneMs * Math.max(0, this.#length - this.#received)) / this.#received;
  }
}
