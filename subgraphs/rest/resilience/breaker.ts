import type { Clock } from '../ports/clock.js';
import type { Random } from '../ports/random.js';
import { FailureCount } from './failure-count.js';

const FAILURES_IN_A_ROW = 5;
/** Until the first trial, the second, …; the last one repeats. Each a fifth shorter or longer. */
const TRIALS_AFTER_MS = [1000, 2000, 4000, 8000] as const;
const JITTER = 0.2;
/** Calls at once of a closed breaker: half-open, it closes when it would let out as many. */
const AT_ONCE_CLOSED = 32;
/** So long without a failure it closes too: at few calls an hour, 31 successes may take hours. */
const FAILURE_FREE_MS = 30_000;

/** `half-open` lets out more and more calls at once. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** How a call ended. `neutral` says nothing of the service: its caller left, or it was never sent. */
export type Outcome = 'success' | 'failure' | 'neutral';

/** What a breaker is made of. */
export interface BreakerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Whether a probe of our own can be sent to the service. Then failures only raise a doubt, for one caller's input may
   * cause them, and only a failed trial opens the breaker.
   */
  readonly verifies?: boolean;
  /** Hears when it opens, and when a trial has found the service back. */
  readonly onOutage?: OnOutage;
}

/** Hears whether the service is down now, when that changes. */
export type OnOutage = (isDown: boolean) => void;

/**
 * Keeps calls from a service that is down. Closed, it counts; open, it lets nothing through but one trial at a time, for
 * which no caller waits; after a good trial it is half-open: it counts anew and lets out one call at once, then two, four,
 * and so on. A failure meanwhile starts that again from one. It closes after 31 successes, or after half a minute
 * without a failure.
 */
export class Breaker {
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly verifies: boolean;
  private readonly failures: FailureCount;
  private readonly onOutage: OnOutage | undefined;
  private current: BreakerState = 'closed';
  /** Moves on with each change of state: the outcome of a call from before says nothing of now. */
  private generation = 0;
  private trialsFailed = 0;
  private trialAtMs = 0;
  private trialTaken = false;
  /** Whether so much failed that the service may be down, and a trial decides. */
  private doubted = false;
  private atOnce = AT_ONCE_CLOSED;
  private succeededInStep = 0;
  /** When it last failed while half-open, or became that. */
  private failureFreeSinceMs = 0;
  private succeededAtMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, random, verifies = false, onOutage }: BreakerOptions) {
    this.clock = clock;
    this.random = random;
    this.verifies = verifies;
    this.onOutage = onOutage;
    // The trial is then the last of them.
    this.failures = new FailureCount(clock, verifies ? FAILURES_IN_A_ROW - 1 : FAILURES_IN_A_ROW);
  }

  get state(): BreakerState {
    this.closeWhenFailureFree();
    return this.current;
  }

  /** Calls that may be in flight at once. */
  get mostInFlight(): number {
    this.closeWhenFailureFree();
    return this.atOnce;
  }

  /** When the service last answered, on the monotonic clock. */
  get lastSuccessMs(): number {
    return this.succeededAtMs;
  }

  /** Milliseconds until the next trial; 0 when it is due. */
  get trialInMs(): number {
    return Math.max(0, this.trialAtMs - this.clock.monotonicMs());
  }

  /** Takes the slot of the trial, if one is due or the routes are in doubt. It must be given back, however it ends. */
  takeTrial(): (() => void) | null {
    const isDue = this.current === 'open' && this.trialInMs === 0;
    if (this.trialTaken || !(isDue || this.doubted)) return null;
    this.trialTaken = true;
    return () => {
      this.trialTaken = false;
      // A trial that was never sent decides nothing: the next failure raises a doubt again.
      this.doubted = false;
    };
  }

  /** Lets a call through, if it may. The function that it returns must be called with how the call ended. */
  admit(trial: boolean): ((outcome: Outcome) => void) | null {
    if (this.current === 'open' && !trial) return null;
    const admitted = this.generation;
    return (outcome) => {
      if (admitted === this.generation) this.settle(outcome, trial);
    };
  }

  private settle(outcome: Outcome, trial: boolean): void {
    if (outcome === 'neutral') return;
    this.closeWhenFailureFree();
    const failed = outcome === 'failure';
    if (!failed) this.succeededAtMs = this.clock.monotonicMs();
    if (this.current === 'open' || trial) this.decide(failed);
    else this.count(failed);
  }

  private count(failed: boolean): void {
    if (this.failures.add(failed)) this.suspect();
    if (this.current !== 'half-open') return;
    if (failed) this.startFromOne();
    else this.grow();
  }

  /** What a trial found out. */
  private decide(failed: boolean): void {
    if (failed) this.open();
    else if (this.current === 'open') this.halfOpen();
    else this.reset();
  }

  private suspect(): void {
    if (this.verifies) this.doubted = true;
    else this.open();
  }

  private open(): void {
    if (this.current !== 'open') this.onOutage?.(true);
    this.change('open');
    const afterMs = TRIALS_AFTER_MS[Math.min(this.trialsFailed, TRIALS_AFTER_MS.length - 1)] ?? 0;
    this.trialAtMs = this.clock.monotonicMs() + afterMs * (1 + JITTER * (2 * this.random() - 1));
    this.trialsFailed += 1;
  }

  private halfOpen(): void {
    this.change('half-open');
    this.startFromOne();
    this.onOutage?.(false);
  }

  private startFromOne(): void {
    this.atOnce = 1;
    this.succeededInStep = 0;
    this.failureFreeSinceMs = this.clock.monotonicMs();
  }

  /** After as many successes as there may be calls at once, there may be twice as many. */
  private grow(): void {
    this.succeededInStep += 1;
    if (this.succeededInStep < this.atOnce) return;
    this.succeededInStep = 0;
    this.atOnce *= 2;
    if (this.atOnce < AT_ONCE_CLOSED) return;
    this.restore();
    this.change('closed');
  }

  /** Lazily, so that no timer keeps the process alive. Calls sent before still count: nothing has changed since. */
  private closeWhenFailureFree(): void {
    if (this.current !== 'half-open' || this.clock.monotonicMs() - this.failureFreeSinceMs < FAILURE_FREE_MS) return;
    this.current = 'closed';
    this.restore();
  }

  private restore(): void {
    this.atOnce = AT_ONCE_CLOSED;
    this.trialsFailed = 0;
  }

  private change(next: BreakerState): void {
    this.current = next;
    this.generation += 1;
    this.reset();
  }

  private reset(): void {
    this.doubted = false;
    this.failures.reset();
  }
}
