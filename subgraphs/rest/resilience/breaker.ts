import type { Clock } from '../ports/clock.js';
import type { Random } from '../ports/random.js';

/** Made for tens of calls a minute: libraries' defaults, made for thousands a second, would never open. */
const FAILURES_IN_A_ROW = 5;
const SPAN_MS = 30_000;
const FEWEST_IN_SPAN = 10;
const FAILING_SHARE = 0.5;
/** Until the first trial, the second, …; the last one repeats. Each a fifth shorter or longer. */
const TRIALS_AFTER_MS = [1000, 2000, 4000, 8000] as const;
const JITTER = 0.2;
/** Calls at once from which on a recovered service counts as sound. */
const SOUND = 32;
/** So long without a failure it counts as sound too: where few ask, 31 successes may take hours. */
const CALM_MS = 30_000;

export type BreakerState = 'closed' | 'open' | 'recovering';

/** How a call ended. `neutral` tells nothing of the service: its caller left, or it was never sent. */
export type Outcome = 'success' | 'failure' | 'neutral';

/**
 * Keeps calls from a service that is down. Closed, it counts; open, it lets nobody through but one trial at a time, for
 * which nobody waits; after a good trial it recovers: it counts anew, like one that is closed, and lets one call out at
 * once, then two, four, and so on. A failure meanwhile begins that again from one. It closes after 31 successes, or
 * after half a minute without a failure.
 */
export interface Breaker {
  readonly state: BreakerState;
  /** Calls that may be in flight at once. */
  readonly mostInFlight: number;
  /** When the service last answered, on the monotonic clock. */
  readonly lastSuccessMs: number;
  /** Milliseconds until the next trial; 0 when it is due. */
  readonly trialInMs: number;
  /** Takes the place of the trial, if one is due or asked for by a doubt. It must be given back, however the trial ends. */
  takeTrial(): (() => void) | null;
  /** Lets a call through, if it may; what it returns must be told how the call ended. */
  admit(trial: boolean): ((outcome: Outcome) => void) | null;
}

export interface BreakerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Whether there is a question of our own that the service can be asked. Then failures only raise a doubt, for they may
   * be the work of one caller's words, and a failed trial alone opens the breaker.
   */
  readonly verifies?: boolean;
}

export function createBreaker({ clock, random, verifies = false }: BreakerOptions): Breaker {
  // The trial is then the last of them.
  const enoughInARow = verifies ? FAILURES_IN_A_ROW - 1 : FAILURES_IN_A_ROW;
  let state: BreakerState = 'closed';
  /** Moves on with each change of state: what was admitted before tells nothing of now. */
  let generation = 0;
  let inARow = 0;
  let outcomes: { readonly atMs: number; readonly failed: boolean }[] = [];
  let trialsFailed = 0;
  let trialAtMs = 0;
  let trialTaken = false;
  /** Whether so much failed that the service may be down, and a trial is to tell. */
  let doubted = false;
  let atOnce = SOUND;
  let succeededInStep = 0;
  /** When it last failed while it recovered, or began to. */
  let calmSinceMs = 0;
  let lastSuccessMs = Number.NEGATIVE_INFINITY;

  function change(next: BreakerState): void {
    state = next;
    generation += 1;
    forgive();
  }

  function forgive(): void {
    doubted = false;
    inARow = 0;
    outcomes = [];
  }

  function open(): void {
    change('open');
    const afterMs = TRIALS_AFTER_MS[Math.min(trialsFailed, TRIALS_AFTER_MS.length - 1)] ?? 0;
    trialAtMs = clock.monotonicMs() + afterMs * (1 + JITTER * (2 * random() - 1));
    trialsFailed += 1;
  }

  function recover(): void {
    change('recovering');
    beginFromOne();
  }

  function beginFromOne(): void {
    atOnce = 1;
    succeededInStep = 0;
    calmSinceMs = clock.monotonicMs();
  }

  /** Lazily, so that no timer keeps the process alive. What was sent before still counts: nothing has changed since. */
  function closeWhenCalm(): void {
    if (state !== 'recovering' || clock.monotonicMs() - calmSinceMs < CALM_MS) return;
    state = 'closed';
    trustAgain();
  }

  function trustAgain(): void {
    atOnce = SOUND;
    trialsFailed = 0;
  }

  function settle(outcome: Outcome, trial: boolean): void {
    if (outcome === 'neutral') return;
    closeWhenCalm();
    const failed = outcome === 'failure';
    if (!failed) lastSuccessMs = clock.monotonicMs();
    if (state === 'open' || trial) {
      decide(failed);
      return;
    }
    count(failed);
    if (state !== 'recovering') return;
    if (failed) beginFromOne();
    else grow();
  }

  /** What a trial found out. */
  function decide(failed: boolean): void {
    if (failed) open();
    else if (state === 'open') recover();
    else forgive();
  }

  /** As many successes as there may be calls at once, and there may be twice as many. */
  function grow(): void {
    succeededInStep += 1;
    if (succeededInStep < atOnce) return;
    succeededInStep = 0;
    atOnce *= 2;
    if (atOnce < SOUND) return;
    trustAgain();
    change('closed');
  }

  function count(failed: boolean): void {
    const nowMs = clock.monotonicMs();
    inARow = failed ? inARow + 1 : 0;
    outcomes.push({ atMs: nowMs, failed });
    while (outcomes[0] !== undefined && outcomes[0].atMs <= nowMs - SPAN_MS) outcomes.shift();
    // A success opens nothing, so the share is looked at after failures only.
    if (!failed || (inARow < enoughInARow && !isFailing())) return;
    if (verifies) doubted = true;
    else open();
  }

  function isFailing(): boolean {
    const failures = outcomes.filter((one) => one.failed).length;
    return outcomes.length >= FEWEST_IN_SPAN && failures >= outcomes.length * FAILING_SHARE;
  }

  return {
    get state() {
      closeWhenCalm();
      return state;
    },
    get mostInFlight() {
      closeWhenCalm();
      return atOnce;
    },
    get lastSuccessMs() {
      return lastSuccessMs;
    },
    get trialInMs() {
      return Math.max(0, trialAtMs - clock.monotonicMs());
    },
    takeTrial() {
      const isDue = state === 'open' && clock.monotonicMs() >= trialAtMs;
      if (trialTaken || !(isDue || doubted)) return null;
      trialTaken = true;
      return () => {
        trialTaken = false;
        // A trial that was never sent decides nothing: the next failure asks for another.
        doubted = false;
      };
    },
    admit(trial) {
      if (state === 'open' && !trial) return null;
      const admitted = generation;
      return (outcome) => {
        if (admitted === generation) settle(outcome, trial);
      };
    },
  };
}
