import { createChance } from '../chance.js';
import { checkAccounts, checkConverged, checkEnd, isBusy } from './closing.js';
import { createLoad } from './load.js';
import { createProbe } from './probe.js';
import type { Violation } from './referee.js';
import { createScheduler } from './scheduler.js';
import { createStage, type Stage } from './stage.js';
import { drawWorld, LIVENESS_MS, SAFETY_MS, type World, withObservedFaults, withReplacements } from './world.js';

/** The result of one seed. */
export interface Run {
  readonly seed: number;
  readonly world: World;
  /** Equal for equal seeds. */
  readonly hash: number;
  readonly events: number;
  readonly virtualMs: number;
  /** Calls by callers, and requests sent for them. */
  readonly calls: number;
  readonly sent: number;
  readonly answered: number;
  readonly refusals: number;
  readonly violations: readonly Violation[];
  /** The last events before the first violation, or before the end. */
  readonly recent: readonly string[];
}

/**
 * Breakers and accounts change only when used, so they are used just before they must have recovered, and once earlier:
 * a response sometimes takes more than the two seconds of a trial, and after a failed trial the next is up to 9.6 s
 * later.
 */
const NUDGE_MS = 6_000;
const FIRST_NUDGE_MS = 20_000;
const PROBE_MS = 8_000;
/** Time after the last call, long enough for all background work to end. */
const REST_MS = 45_000;
/** Replicas that have all been idle for this long will stay idle. */
const QUIET_MS = 5_000;
/** Entries of a key are stale after the first half of a night, and expired after the second. */
const HALF_NIGHT_MS = 330_000;
const MOMENT_MS = 3_000;

/** Runs the toolkit in a seed's world: first with faults, then for a time in which everything must recover. */
export async function simulate(seed: number): Promise<Run> {
  const { stackTraceLimit } = Error;
  // A world creates thousands of errors; capturing their stacks would take most of the time.
  Error.stackTraceLimit = 0;
  try {
    return await play(seed);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Far from all seeds that are played. */
const OBSERVED_STREAM = 2 ** 31;
const REPLACED_STREAM = 2 ** 30;

async function play(seed: number): Promise<Run> {
  const chance = createChance(seed);
  const drawn = withObservedFaults(drawWorld(chance), createChance(seed + OBSERVED_STREAM));
  const world = withReplacements(drawn, createChance(seed + REPLACED_STREAM));
  const scheduler = createScheduler();
  const stage = createStage(world, { scheduler, chance });
  const { violations } = stage.referee;
  for await (const _part of partsOf(stage, createLoad({ ...stage, chance: chance.fork() }))) {
    if (violations.length > 0) break;
  }
  const { hash, count: events, nowMs: virtualMs } = scheduler;
  return { seed, world, hash, events, virtualMs, ...stage.counts, violations, recent: scheduler.recent() };
}

/** Yields regularly, so that a run stops soon after a broken promise. */
async function* partsOf(stage: Stage, load: ReturnType<typeof createLoad>): AsyncGenerator<void> {
  const { scheduler } = stage;
  const probe = createProbe(stage);

  async function* pass(ms: number) {
    const endMs = scheduler.nowMs + ms;
    while (scheduler.nowMs < endMs) yield await scheduler.runUntil(Math.min(endMs, scheduler.nowMs + 1_000));
  }

  async function* rest() {
    let busyMs = scheduler.nowMs;
    const endMs = scheduler.nowMs + REST_MS;
    while (scheduler.nowMs < Math.min(endMs, busyMs + QUIET_MS)) {
      yield* pass(1_000);
      if (isBusy(stage)) busyMs = scheduler.nowMs;
    }
  }

  yield* pass(SAFETY_MS);
  load.calm();
  yield* pass(LIVENESS_MS - FIRST_NUDGE_MS);
  load.nudge();
  yield* pass(FIRST_NUDGE_MS - NUDGE_MS);
  load.nudge();
  yield* pass(NUDGE_MS);
  yield checkConverged(stage);
  probe.startCall();
  yield* pass(PROBE_MS);
  probe.callAgain();
  yield* pass(PROBE_MS);
  load.stop();
  yield* rest();
  yield await checkAccounts(stage);
  stage.service.goDown();
  for (const callWhen of [probe.callInOutage, probe.callTooLate]) {
    stage.sleep(HALF_NIGHT_MS);
    yield await scheduler.runUntil(scheduler.nowMs + HALF_NIGHT_MS);
    yield* pass(MOMENT_MS);
    // A call a moment later must get the same response, without a second call to the service.
    for (const startCall of [callWhen, callWhen]) {
      startCall();
      yield* pass(MOMENT_MS);
    }
  }
  yield* rest();
  yield await checkEnd(stage);
}
