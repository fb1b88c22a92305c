import type { Log } from '../../../kernel/log.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { unattendedOperation } from '../../rest/call/upstream.js';
import { type Clock, sleep } from '../../rest/ports/clock.js';
import type { GeographyClient } from '../geography/client.js';
import { createGeographyLoaders } from '../geography/loaders.js';
import type { UsedCommunes } from './used-communes.js';

/** What a warm-up reads with, and which communes. */
export interface WarmUpOptions {
  readonly geography: GeographyClient;
  readonly used: UsedCommunes;
  readonly clock: Clock;
  readonly log: Log;
}

/** How far a run has got. The run writes it; the source's status is read from it. */
export interface Progress {
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
export async function runWarmUp(options: WarmUpOptions, progress: Progress, signal: AbortSignal): Promise<void> {
  const { geography, used, log } = options;
  const run: Run = { ...options, progress, signal };
  progress.stage = 'lists';
  await untilDone(run, () => geography.departements(operation(run)));
  await untilDone(run, () => geography.missionsLocales(null, operation(run)));
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
  const { geography, progress, clock, signal } = run;
  let failed = 0;
  let inARow = 0;
  for (const code of codes) {
    const callsBefore = progress.calls;
    // Separate loaders, or all responses would be retained until the end.
    const fetched = await succeeds(run, () => createGeographyLoaders(geography).commune(code, operation(run)));
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
