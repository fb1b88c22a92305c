import { setTimeout } from 'node:timers/promises';
import type { LRUCache } from 'lru-cache';
import { createCache, unwatched, type WatchCache } from '../../../kernel/caches.js';
import { CodedError, type ErrorCode } from '../../../kernel/errors.js';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import type { Clock } from '../../rest/ports/ports.js';
import { UnusableExport } from './load.js';
import { type ExportSource, receiveExport } from './receive-export.js';
import {
  type ExportFile,
  lockFolder,
  openExport,
  overCharged,
  type Reader,
  type SiretRows,
  setAside,
  sizeOf,
} from './stored-export.js';

/** What a directory reads, where it stores, and whom it asks. */
export interface SiretDirectoryOptions extends ExportSource {
  readonly clock: Clock;
  /** Where replicas share the date of the export, so that one of them asks for it; nowhere if omitted. */
  readonly dates?: { readonly store: TextStore | null; readonly key: string } | undefined;
  readonly watchCache?: WatchCache | undefined;
}

/** `cold`: not loaded yet, or failed. `refused`: the service refuses this key the export. */
type DirectoryState = 'cold' | 'loading' | 'ready' | 'refused';

/** The service creates a file once a day and allows few calls, so its date is checked no more often than this. */
const CHECK_MS = 60 * 60 * 1000;
/** How often a process that waits for another one's load looks whether that is done. */
const LOCKED_MS = 1000;
/** So long after the last look-up, or the warm-up, the export is no longer refreshed until the next look-up. */
const UNUSED_MS = 24 * 60 * 60 * 1000;
/** Heap of parsed rows, and of what is made of them, per byte of their text; and of an entry without rows. */
const HEAP_PER_BYTE = 4;
const ENTRY_BYTES = 600;

/**
 * All offers and likely recruiters of the service by SIRET, for which its search has no filter. The directory costs
 * nothing until it is warmed up or used, and then refreshes itself. It uses the last complete export until a newer one
 * has arrived.
 */
export class SiretDirectory {
  readonly #options: SiretDirectoryOptions;
  readonly #closing = new AbortController();
  /** The rows of SIRETs that were looked up a moment ago. */
  readonly #recent: LRUCache<string, SiretRows & { readonly file: ExportFile }>;
  #current: ExportFile | null = null;
  #restored: Promise<void> | null = null;
  #refreshing: Promise<void> | null = null;
  #progress: number | null = null;
  #failures = 0;
  /** Why the last try to load the export failed; null if it did not. */
  #failure: unknown = null;
  /** Date of the last export that was refused because it is much smaller than the one in use. */
  #shrunken: string | null = null;
  /** Monotonic time before which no refresh starts. */
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #callOff = () => {};

  constructor(options: SiretDirectoryOptions) {
    this.#options = options;
    this.#recent = createCache('siret-rows', options.watchCache ?? unwatched, {
      sizeCalculation: ({ at }) => ENTRY_BYTES + HEAP_PER_BYTE * sizeOf(at),
    });
  }

  state(): DirectoryState {
    if (this.#current !== null) return 'ready';
    if (this.#refreshing !== null) return 'loading';
    return isRefusal(this.#failure) ? 'refused' : 'cold';
  }

  /** Share that is done of the load in progress, from 0 to 1; null without one, or if it is unknown. */
  progress(): number | null {
    return this.#refreshing && this.#progress;
  }

  /** In words, if the last try to load the export failed because the disk has no room for it; else null. */
  shortage(): string | null {
    return this.#failure instanceof UnusableExport && this.#failure.why === 'full' ? this.#failure.message : null;
  }

  /** In words, why the last try to load the export failed; null if it did not. */
  failure(): string | null {
    if (this.#failure instanceof UnusableExport) return this.#failure.message;
    return this.#failure === null ? null : 'the last download of the daily export failed';
  }

  /** Seconds until loading the export is tried again after a failure, at least 1. */
  secondsToTry(): number {
    return Math.max(1, Math.ceil((this.#notBeforeMs - this.#options.clock.monotonicMs()) / 1000));
  }

  /** The service's date of the export in use, which changes with its rows; null while there is none. */
  lastUpdate(): string | null {
    return this.#current?.about.lastUpdate ?? null;
  }

  /**
   * The export in use, if need be that of an earlier run. Null if there is none, in which case loading it starts in the
   * background, unless `refreshes` is false. Whoever reads it holds it.
   */
  async current(refreshes = true): Promise<ExportFile | null> {
    if (this.#closing.signal.aborted) return null;
    if (this.#current === null) await this.#restore();
    if (refreshes) void this.warmUp();
    return this.#current;
  }

  /** Loads the export before the first query, and keeps it fresh for a day. Resolves like `refreshIfDue`. */
  warmUp(): Promise<void> {
    this.#usedAtMs = this.#options.clock.monotonicMs();
    return this.refreshIfDue();
  }

  /** Loads or refreshes the export if it is due. Resolves when that is done or has failed; never rejects. */
  refreshIfDue(): Promise<void> {
    const { clock, log } = this.#options;
    if (this.#refreshing !== null) return this.#refreshing;
    if (this.#closing.signal.aborted || clock.monotonicMs() < this.#notBeforeMs) return Promise.resolve();
    this.#progress = null;
    this.#refreshing = this.#refresh()
      .then(() => {
        this.#failures = 0;
        this.#failure = null;
        log.debug({ lastUpdate: this.lastUpdate() }, 'export up to date');
        this.#pause(CHECK_MS);
      })
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#refreshing = null;
      });
    return this.#refreshing;
  }

  /**
   * The rows of a SIRET as `findAll` gives them, at once; undefined if it has to be asked. They are shared: nobody may
   * change them. Throws `COST_EXCEEDED` like `findAll`.
   */
  recent(siret: string, reader: Reader): readonly unknown[] | undefined {
    const found = this.#recent.get(siret);
    if (found === undefined || found.file !== this.#current) return undefined;
    if (reader.dryRun !== true) void this.warmUp();
    const error = overCharged(reader, found.at);
    if (error !== null) throw error;
    return found.rows;
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
    const file = await this.current(reader.dryRun !== true);
    if (file === null) return sirets.map(() => null);
    try {
      const found = await file.readSirets(sirets, reader);
      return found.map((one, place) => {
        if (one instanceof CodedError) return one;
        this.#recent.set(sirets[place] ?? '', { ...one, file });
        return one.rows;
      });
    } catch (error) {
      if (reader.signal.aborted) throw error;
      await this.discard(file, error);
      return sirets.map(() => null);
    }
  }

  /** Drops a file that can no longer be read, so that the next look-up fetches it again. */
  async discard(file: ExportFile, error: unknown): Promise<void> {
    if (this.#current !== file) return;
    this.#current = null;
    this.#notBeforeMs = Number.NEGATIVE_INFINITY;
    await file.close();
    await setAside(file.path, error, this.#options.log);
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
    this.#restored ??= this.#found('an earlier run').then((file) => {
      this.#current = file;
    });
    return this.#restored;
  }

  /** The newest export in the folder, or that of a date; null if there is none. */
  async #found(whose: string, lastUpdate?: string): Promise<ExportFile | null> {
    const { folder, log } = this.#options;
    const file = await openExport(folder, log, lastUpdate);
    if (file !== null) log.info(file.about, `using the export of ${whose}`);
    return file;
  }

  async #refresh(): Promise<void> {
    await this.#restore();
    const unlock = await this.#lock();
    try {
      const [current, newest] = [this.#current, await this.#newest()];
      if (newest === null) return;
      this.#current = newest;
      await current?.close();
    } finally {
      unlock();
    }
  }

  /** Waits until no other process is loading an export into the folder. */
  async #lock(): Promise<() => void> {
    const { folder } = this.#options;
    for (;;) {
      const end = folder === null ? () => {} : await lockFolder(folder);
      if (end !== null) return end;
      await setTimeout(LOCKED_MS, null, { signal: this.#closing.signal, ref: false });
    }
  }

  /** The newest export; null if it is the one in use. Downloads it only if no other process has brought it. */
  async #newest(): Promise<ExportFile | null> {
    const { exportLink, dates, clock, log } = this.#options;
    const { signal } = this.#closing;
    const known = await dates?.store?.get(dates.key);
    if (known !== undefined && known === this.lastUpdate()) return null;
    const shared = known === undefined ? null : await this.#found('another replica', known);
    if (shared !== null) return shared;
    const link = await exportLink(signal);
    const { lastUpdate } = link;
    // It would be as small as an hour ago.
    if (lastUpdate === this.#shrunken)
      throw new UnusableExport('shrunken', `the daily export of ${lastUpdate} is too small`);
    await dates?.store?.set(dates.key, lastUpdate, CHECK_MS);
    if (lastUpdate === this.lastUpdate()) return null;
    const brought = await this.#found('another replica', lastUpdate);
    if (brought !== null) return brought;
    const onProgress = (share: number | null) => {
      this.#progress = share;
    };
    const receiving = { ...link, previous: this.#current, nowMs: clock.wallMs(), signal, onProgress };
    const received = await receiveExport(this.#options, receiving).catch((error: unknown) => {
      if (error instanceof UnusableExport && error.why === 'shrunken') this.#shrunken = lastUpdate;
      throw error;
    });
    log.info(received.about, 'export indexed');
    return received;
  }

  #failed(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#failure = error;
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
  if (isRefusal(error) || (error instanceof UnusableExport && error.why === 'shrunken')) return CHECK_MS;
  const seconds = error instanceof CodedError ? Number(error.extensions['retryAfterSeconds'] ?? 0) : 0;
  return Math.min(CHECK_MS, Math.max(FIRST_PAUSE_MS * 2 ** failuresBefore, 1000 * seconds));
}

/** Whether the service refuses this key the export, so that retrying soon is useless. */
function isRefusal(error: unknown): boolean {
  return error instanceof CodedError && REFUSALS.has(error.code);
}
