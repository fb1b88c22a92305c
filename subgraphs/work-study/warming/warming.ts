import type { Log } from '../../../schema/log.js';
import type { OperationContext, SourceStatus } from '../../../schema/operation.js';
import type { Clock } from '../../rest/ports/clock.js';
import { sleep } from '../../rest/sleep.js';
import type { GeographyClient } from '../geography/client.js';
import { createGeographyLoaders } from '../geography/loaders.js';
import { unattendedOperation } from '../operations/unattended-operation.js';
import type { UsedCommunes } from './used-communes.js';

/** Fetches geography ahead of queries. */
export interface Warming {
  /** Starts, and continues in the background. */
  start(): void;
  /** The source's status, with what is being fetched if anything is. */
  tell(status: SourceStatus): SourceStatus;
  /** Aborts it. */
  close(): Promise<void>;
}

export interface WarmingOptions {
  readonly geography: GeographyClient;
  readonly used: UsedCommunes;
  readonly clock: Clock;
  readonly log: Log;
}

/** Pause between two calls: a fifteenth of the 30 calls a second that we send the proxy at most (work-study 4.2). */
const PAUSE_MS = 500;
/** Pause after a failure, doubled after each further one. */
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 10 * 60_000;
/** Consecutive failures after which the remaining communes are left to the queries that need them. */
const MOST_FAILURES = 5;
/** How long one call may wait for its turn behind callers' requests. */
const CALL_MS = 60_000;

/**
 * Fetches the lists that most queries need (départements, missions locales), then one by one the communes that
 * missions used before. What is still cached from an earlier run costs no call.
 */
export function createWarming({ geography, used, clock, log }: WarmingOptions): Warming {
  const closing = new AbortController();
  const { signal } = closing;
  let stage: 'idle' | 'lists' | 'communes' = 'idle';
  let progress = { done: 0, of: 0 };
  let running: Promise<void> = Promise.resolve();
  let calls = 0;

  const operation = (): OperationContext =>
    unattendedOperation({
      purpose: 'warming',
      ms: CALL_MS,
      signal,
      background: true,
      onCall: ({ sent = 0 }) => {
        calls += sent;
      },
    });

  async function run(): Promise<void> {
    stage = 'lists';
    await untilDone(() => geography.departements(operation()));
    await untilDone(() => geography.missionsLocales(null, operation()));
    const codes = await used.load();
    progress = { done: 0, of: codes.length };
    stage = 'communes';
    log.info({ communes: codes.length, calls }, 'départements and missions locales are ready; fetching communes');
    const failed = await fetchCommunes(codes);
    log.info({ communes: progress.done, failed, calls }, 'communes that missions use are ready');
  }

  async function untilDone(fetch: () => Promise<unknown>): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      if (await succeeds(fetch)) return;
      await sleep(waitMs, clock, signal);
    }
  }

  /** How many failed. */
  async function fetchCommunes(codes: readonly string[]): Promise<number> {
    let failed = 0;
    let inARow = 0;
    for (const code of codes) {
      const callsBefore = calls;
      // Loaders of its own, or all responses would be held until the last.
      const fetched = await succeeds(() => createGeographyLoaders(geography).commune(code, operation()));
      progress.done += fetched ? 1 : 0;
      failed += fetched ? 0 : 1;
      inARow = fetched ? 0 : inARow + 1;
      if (inARow === MOST_FAILURES) break;
      if (!fetched) await sleep(FIRST_WAIT_MS, clock, signal);
      else if (calls > callsBefore) await sleep(PAUSE_MS, clock, signal);
    }
    return failed;
  }

  async function succeeds(fetch: () => Promise<unknown>): Promise<boolean> {
    try {
      await fetch();
      return true;
    } catch (error) {
      signal.throwIfAborted();
      log.debug({ err: error }, 'warming: a call failed');
      return false;
    }
  }

  return {
    start() {
      running = run()
        .catch((error: unknown) => {
          if (!signal.aborted) log.error({ err: error }, 'warming failed');
        })
        .finally(() => {
          stage = 'idle';
        });
    },
    tell(status) {
      if (stage === 'idle' || status.state !== 'UP') return status;
      if (stage === 'lists')
        return { ...status, state: 'LOADING', detail: 'départements and missions locales are loading' };
      const { done, of } = progress;
      return { ...status, detail: status.detail ?? `fetching communes that missions use: ${done} of ${of}` };
    },
    async close() {
      closing.abort();
      await running;
      await used.close();
    },
  };
}
