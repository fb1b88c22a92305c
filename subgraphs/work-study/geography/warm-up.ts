/** Geography fetched ahead of queries: first the lists, then the communes that missions led to before. */

import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { Log } from '../../../kernel/log.js';
import type { OperationContext, SourceStatus } from '../../../kernel/operation.js';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { isInseeCode } from '../../codes/places.js';
import { type Clock, sleep } from '../../rest/ports/ports.js';
import { type Upstream, unattendedOperation } from '../../rest/upstream.js';
import { type CommuneRequests, GeographyLoaders, readDepartements, readMissionsLocales } from './client.js';

/** What a warm-up reads with, and which communes. */
interface WarmUpOptions {
  readonly upstream: Upstream;
  readonly communeRequests: CommuneRequests;
  readonly used: Pick<UsedCommunes, 'load' | 'close'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pause between two calls: a fifteenth of the 30 calls a second that we send the proxy at most (work-study 4.2). */
const PAUSE_MS = 500;
/** Pause after a failure, doubled after each further one. */
const FIRST_WAIT_MS = 30_000;
const MAX_WAIT_MS = 10 * 60_000;
/** Consecutive failures after which the remaining communes are left to the queries that need them. */
const MAX_FAILURES = 5;
/** How long one call may wait for its turn behind callers' requests. */
const CALL_MS = 60_000;

/**
 * Fetches the lists that most queries need (départements, missions locales), then, one by one, the communes that
 * missions used before. What is still cached from an earlier run costs no call.
 */
export class WarmUp {
  readonly #options: WarmUpOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #stage: 'idle' | 'lists' | 'communes' = 'idle';
  /** Communes fetched so far, of those that missions used. */
  #done = 0;
  #of = 0;
  /** Calls sent so far. */
  #calls = 0;

  constructor(options: WarmUpOptions) {
    this.#options = options;
  }

  /** Starts the run, which continues in the background. */
  start(): void {
    this.#running = this.#run()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#options.log.error({ err: error }, 'warm-up failed');
      })
      .finally(() => {
        this.#stage = 'idle';
      });
  }

  /** The source's status, with what is being fetched if anything is. */
  describe(status: SourceStatus): SourceStatus {
    if (this.#stage === 'idle' || status.state !== 'UP') return status;
    if (this.#stage === 'lists')
      return { ...status, state: 'LOADING', detail: 'départements and missions locales are loading' };
    const detail = `fetching communes that missions use: ${this.#done} of ${this.#of}`;
    return { ...status, detail: status.detail ?? detail };
  }

  /** Aborts the run. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await this.#options.used.close();
  }

  /** When it is closed, it ends and rejects with the signal's reason. */
  async #run(): Promise<void> {
    const { upstream, used, log } = this.#options;
    this.#stage = 'lists';
    await this.#untilDone(() => readDepartements(upstream, this.#operation()));
    await this.#untilDone(() => readMissionsLocales(upstream, null, this.#operation()));
    const codes = await used.load();
    this.#of = codes.length;
    this.#stage = 'communes';
    const [communes, calls] = [codes.length, this.#calls];
    log.info({ communes, calls }, 'départements and missions locales are ready; fetching communes');
    const failed = await this.#fetchCommunes(codes);
    log.info({ communes: this.#done, failed, calls: this.#calls }, 'communes that missions use are ready');
  }

  #operation(): OperationContext {
    return unattendedOperation({
      purpose: 'warm-up',
      ms: CALL_MS,
      signal: this.#closing.signal,
      background: true,
      onCall: ({ sent = 0 }) => {
        this.#calls += sent;
      },
    });
  }

  async #untilDone(fetch: () => unknown): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      if (await this.#succeeds(fetch)) return;
      await this.#sleep(waitMs);
    }
  }

  /** Fetches the communes; returns how many failed. */
  async #fetchCommunes(codes: readonly string[]): Promise<number> {
    const { upstream, communeRequests } = this.#options;
    let failed = 0;
    let inARow = 0;
    for (const code of codes) {
      const callsBefore = this.#calls;
      // Separate loaders, or all responses would be retained until the end.
      const fetched = await this.#succeeds(() =>
        new GeographyLoaders(upstream, communeRequests).commune(code, this.#operation()),
      );
      this.#done += fetched ? 1 : 0;
      failed += fetched ? 0 : 1;
      inARow = fetched ? 0 : inARow + 1;
      if (inARow === MAX_FAILURES) break;
      if (!fetched) await this.#sleep(FIRST_WAIT_MS);
      else if (this.#calls > callsBefore) await this.#sleep(PAUSE_MS);
    }
    return failed;
  }

  async #succeeds(fetch: () => unknown): Promise<boolean> {
    try {
      await fetch();
      return true;
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      this.#options.log.debug({ err: error }, 'a call of the warm-up failed');
      return false;
    }
  }

  #sleep(ms: number): Promise<void> {
    return sleep(ms, this.#options.clock, this.#closing.signal);
  }
}

/** Where a list of communes is stored. */
export interface UsedCommunesOptions {
  /** Null stores nothing beyond this process. */
  readonly store: TextStore | null;
  /** Key of the list in the store, specific to the service's address. */
  readonly key: string;
  readonly clock: Clock;
  readonly watchCache?: WatchCache | undefined;
}

/**
 * The most recently used of 35,000 communes. Fetching this many at the pace of a warm-up takes three quarters of an hour.
 */
const MAX_COMMUNES = 5000;
/** Bytes of heap for a code. */
const COMMUNE_BYTES = 100;
/** A week, as long as reference data may be served stale: an older list says nothing about today's use. */
const LIST_TTL_MS = 7 * 24 * 60 * 60 * 1000;
/** How long new communes are collected before they are written together. */
const WRITE_AFTER_MS = 60_000;

/**
 * The communes that missions led to, so that they can be fetched ahead of queries at the next start: at most 5,000, for a
 * week. Without a store it remembers none.
 */
export class UsedCommunes {
  readonly #options: UsedCommunesOptions;
  /** A set keeps insertion order. */
  readonly #used = new Set<string>();
  #cancelSave: (() => void) | null = null;

  constructor(options: UsedCommunesOptions) {
    this.#options = options;
    const { watchCache = unwatched } = options;
    watchCache('used-communes', () => COMMUNE_BYTES * this.#used.size);
  }

  /** Records that a mission led to this commune. */
  record(insee: string): void {
    const { store, clock } = this.#options;
    if (store === null) return;
    const known = this.#used.delete(insee);
    this.#used.add(insee);
    if (known) return;
    const [oldest] = this.#used;
    if (this.#used.size > MAX_COMMUNES && oldest !== undefined) this.#used.delete(oldest);
    this.#cancelSave ??= clock.after(WRITE_AFTER_MS, () => void this.#save());
  }

  /** Communes recorded by earlier runs and other replicas, and those recorded here, most recently used last. */
  async load(): Promise<readonly string[]> {
    const { store, key } = this.#options;
    const text = (await store?.get(key)) ?? '';
    const left = text.split(' ').filter((code) => isInseeCode(code) && !this.#used.has(code));
    return [...left, ...this.#used].slice(-MAX_COMMUNES);
  }

  /** Stores what is not stored yet. */
  async close(): Promise<void> {
    if (this.#cancelSave === null) return;
    this.#cancelSave();
    await this.#save();
  }

  /** Merges what other replicas wrote meanwhile. If two write at once, a few codes are lost, which does no harm. */
  async #save(): Promise<void> {
    const { store, key } = this.#options;
    this.#cancelSave = null;
    const codes = await this.load();
    if (codes.length > 0) await store?.set(key, codes.join(' '), LIST_TTL_MS);
  }
}
