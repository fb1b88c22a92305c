/** Geography fetched ahead of queries: first the lists, then the communes that missions led to before. */

import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { Log } from '../../../kernel/log.js';
import type { OperationContext, SourceStatus } from '../../../kernel/operation.js';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { isInseeCode } from '../../codes/places.js';
import { type Clock, sleep } from '../../rest/ports/ports.js';
import { type Upstream, unattendedOperation } from '../../rest/upstream.js';
import { type CommuneRequests, GeographyLoaders, readDepartements, readMissionsLocales } from './client.js';

/** Fetches geography ahead of queries. */
interface WarmUp {
  /** Starts the run, which continues in the background. */
  start(): void;
  /** The source's status, with what is being fetched if anything is. */
  describe(status: SourceStatus): SourceStatus;
  /** Aborts the run. */
  close(): Promise<void>;
}

/**
 * Fetches the lists that most queries need (départements, missions locales), then, one by one, the communes that
 * missions used before. What is still cached from an earlier run costs no call.
 */
export function createWarmUp(options: WarmUpOptions): WarmUp {
  const { used, log } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const progress: Progress = { stage: 'idle', done: 0, of: 0, calls: 0 };
  let running: Promise<void> = Promise.resolve();

  return {
    start() {
      running = runWarmUp(options, progress, signal)
        .catch((error: unknown) => {
          if (!signal.aborted) log.error({ err: error }, 'warm-up failed');
        })
        .finally(() => {
          progress.stage = 'idle';
        });
    },
    describe: (status) => withProgress(status, progress),
    async close() {
      closing.abort();
      await running;
      await used.close();
    },
  };
}

function withProgress(status: SourceStatus, { stage, done, of }: Progress): SourceStatus {
  if (stage === 'idle' || status.state !== 'UP') return status;
  if (stage === 'lists')
    return { ...status, state: 'LOADING', detail: 'départements and missions locales are loading' };
  return { ...status, detail: status.detail ?? `fetching communes that missions use: ${done} of ${of}` };
}

/** What a warm-up reads with, and which communes. */
interface WarmUpOptions {
  readonly upstream: Upstream;
  readonly communeRequests: CommuneRequests;
  readonly used: UsedCommunes;
  readonly clock: Clock;
  readonly log: Log;
}

/** How far a run has got. The run writes it; the source's status is read from it. */
interface Progress {
  stage: 'idle' | 'lists' | 'communes';
  /** Communes fetched so far, of those that missions used. */
  done: number;
  of: number;
  /** Calls sent so far. */
  calls: number;
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

/** One run. When the signal aborts, it ends and rejects with the signal's reason. */
async function runWarmUp(options: WarmUpOptions, progress: Progress, signal: AbortSignal): Promise<void> {
  const { upstream, used, log } = options;
  const run: Run = { ...options, progress, signal };
  progress.stage = 'lists';
  await untilDone(run, () => readDepartements(upstream, operation(run)));
  await untilDone(run, () => readMissionsLocales(upstream, null, operation(run)));
  const codes = await used.load();
  progress.done = 0;
  progress.of = codes.length;
  progress.stage = 'communes';
  const { calls } = progress;
  log.info({ communes: codes.length, calls }, 'départements and missions locales are ready; fetching communes');
  const failed = await fetchCommunes(run, codes);
  log.info({ communes: progress.done, failed, calls: progress.calls }, 'communes that missions use are ready');
}

interface Run extends WarmUpOptions {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

function operation({ progress, signal }: Run): OperationContext {
  return unattendedOperation({
    purpose: 'warm-up',
    ms: CALL_MS,
    signal,
    background: true,
    onCall: ({ sent = 0 }) => {
      progress.calls += sent;
    },
  });
}

async function untilDone(run: Run, fetch: () => PromiseLike<unknown>): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    if (await succeeds(run, fetch)) return;
    await sleep(waitMs, run.clock, run.signal);
  }
}

/** Fetches the communes; returns how many failed. */
async function fetchCommunes(run: Run, codes: readonly string[]): Promise<number> {
  const { upstream, communeRequests, progress, clock, signal } = run;
  let failed = 0;
  let inARow = 0;
  for (const code of codes) {
    const callsBefore = progress.calls;
    // Separate loaders, or all responses would be retained until the end.
    const fetched = await succeeds(run, () =>
      new GeographyLoaders(upstream, communeRequests).commune(code, operation(run)),
    );
    progress.done += fetched ? 1 : 0;
    failed += fetched ? 0 : 1;
    inARow = fetched ? 0 : inARow + 1;
    if (inARow === MAX_FAILURES) break;
    if (!fetched) await sleep(FIRST_WAIT_MS, clock, signal);
    else if (progress.calls > callsBefore) await sleep(PAUSE_MS, clock, signal);
  }
  return failed;
}

async function succeeds({ signal, log }: Run, fetch: () => PromiseLike<unknown>): Promise<boolean> {
  try {
    await fetch();
    return true;
  } catch (error) {
    signal.throwIfAborted();
    log.debug({ err: error }, 'a call of the warm-up failed');
    return false;
  }
}

/** The communes that missions led to, so that they can be fetched ahead of queries at the next start. */
export interface UsedCommunes {
  /** Records that a mission led to this commune. */
  record(insee: string): void;
  /** Communes recorded by earlier runs and other replicas, and those recorded here, most recently used last. */
  load(): Promise<readonly string[]>;
  /** Stores what is not stored yet. */
  close(): Promise<void>;
}

interface UsedCommunesOptions {
  /** Null stores nothing beyond this process. */
  readonly store: TextStore | null;
  /** Name of the list in the store. */
  readonly key: string;
  readonly clock: Clock;
  readonly watchCache?: WatchCache | undefined;
}

/**
 * The most recently used of 35,000 communes. Fetching this many at the pace of `run-warm-up.ts` takes three quarters of
 * an hour.
 */
const MAX_COMMUNES = 5000;
/** Bytes of heap for a code. */
const COMMUNE_BYTES = 100;
/** A week, as long as reference data may be served stale: an older list says nothing about today's use. */
const LIST_TTL_MS = 7 * 24 * 60 * 60 * 1000;
/** How long new communes are collected before they are written together. */
const WRITE_AFTER_MS = 60_000;

/** Remembers at most 5,000 communes for a week. Without a store it remembers none. */
export function createUsedCommunes({ store, key, clock, watchCache = unwatched }: UsedCommunesOptions): UsedCommunes {
  /** A set keeps insertion order. */
  const used = new Set<string>();
  watchCache('used-communes', () => COMMUNE_BYTES * used.size);
  let cancelSave: (() => void) | null = null;

  async function load(): Promise<readonly string[]> {
    const text = (await store?.get(key)) ?? '';
    const left = text.split(' ').filter((code) => isInseeCode(code) && !used.has(code));
    return [...left, ...used].slice(-MAX_COMMUNES);
  }

  /**
   * Merges what other replicas wrote meanwhile. If two write at once, a few codes are lost, which does no harm.
   */
  async function save(): Promise<void> {
    cancelSave = null;
    const codes = await load();
    if (codes.length > 0) await store?.set(key, codes.join(' '), LIST_TTL_MS);
  }

  return {
    record(insee) {
      if (store === null) return;
      const known = used.delete(insee);
      used.add(insee);
      if (known) return;
      const [oldest] = used;
      if (used.size > MAX_COMMUNES && oldest !== undefined) used.delete(oldest);
      cancelSave ??= clock.after(WRITE_AFTER_MS, () => void save());
    },
    load,
    async close() {
      if (cancelSave === null) return;
      cancelSave();
      await save();
    },
  };
}
