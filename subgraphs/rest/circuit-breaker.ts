import type { Clock, Random } from './ports/ports.js';
import { createSlots, type Slots } from './quota/fair-queue.js';
import type { Dialect, Probe, UpstreamRequest } from './upstream.js';

const FAILURES_IN_A_ROW = 5;
/** Waits before the first trial, the second, …; the last repeats. Each is up to a fifth shorter or longer. */
const TRIALS_AFTER_MS = [1000, 2000, 4000, 8000] as const;
const JITTER = 0.2;
/** Concurrent calls that a closed breaker allows; a half-open one closes when it would allow as many. */
const AT_ONCE_CLOSED = 32;
/** It also closes after so long without a failure: at a few calls an hour, 31 successes may take hours. */
const FAILURE_FREE_MS = 30_000;

/** `half-open` allows more and more concurrent calls. */
type BreakerState = 'closed' | 'open' | 'half-open';

/** How a call ended. `neutral` says nothing about the service: the caller left, or the call was never sent. */
export type Outcome = 'success' | 'failure' | 'neutral';

/** What a breaker needs. */
export interface BreakerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Whether a probe of our own can be sent to the service. If so, failures only raise a doubt, because one caller's
   * input may cause them, and only a failed trial opens the breaker.
   */
  readonly verifies?: boolean;
  /** Called when the breaker opens, and when a trial has found the service back. */
  readonly onOutage?: OnOutage;
}

/** Called with whether the service is down, each time that changes. */
type OnOutage = (isDown: boolean) => void;

/**
 * A circuit breaker. Closed, it counts failures. Open, it lets through only one trial at a time. After a good trial it
 * is half-open: it counts anew and allows one concurrent call, and one more after each success; a failure starts that
 * again from one. It closes after 31 successes, or half a minute without a failure.
 */
export class Breaker {
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly verifies: boolean;
  private readonly failures: FailureCount;
  private readonly onOutage: OnOutage | undefined;
  private current: BreakerState = 'closed';
  /** Incremented with each change of state: outcomes of earlier calls say nothing about the present. */
  private generation = 0;
  private trialsFailed = 0;
  private trialAtMs = 0;
  private trialTaken = false;
  /** Whether so many calls failed that the service may be down; a trial decides. */
  private doubted = false;
  private atOnce = AT_ONCE_CLOSED;
  /** When it became half-open, or last saw a failure while half-open. */
  private failureFreeSinceMs = 0;
  private succeededAtMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, random, verifies = false, onOutage }: BreakerOptions) {
    this.clock = clock;
    this.random = random;
    this.verifies = verifies;
    this.onOutage = onOutage;
    // The trial then counts as the last of them.
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

  /** When a call last succeeded, on the monotonic clock. */
  get lastSuccessMs(): number {
    return this.succeededAtMs;
  }

  /** Milliseconds until the next trial; 0 when it is due. */
  get trialInMs(): number {
    return Math.max(0, this.trialAtMs - this.clock.monotonicMs());
  }

  /** Takes the trial's slot, if a trial is due or the routes are in doubt. Always call the result to give it back. */
  takeTrial(): (() => void) | null {
    const isDue = this.current === 'open' && this.trialInMs === 0;
    if (this.trialTaken || !(isDue || this.doubted)) return null;
    this.trialTaken = true;
    return () => {
      this.trialTaken = false;
      // A trial that was never sent decides nothing; the next failure raises a doubt again.
      this.doubted = false;
    };
  }

  /** Admits a call, or returns null. The function returned must be called with the call's outcome. */
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

  /** Applies the outcome of a trial. */
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
    this.failureFreeSinceMs = this.clock.monotonicMs();
  }

  private grow(): void {
    this.atOnce += 1;
    if (this.atOnce < AT_ONCE_CLOSED) return;
    this.restore();
    this.change('closed');
  }

  /** Lazily, so that it takes no timer. The generation stays: calls sent before still count, as nothing has changed. */
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

/** Sized for tens of calls a minute: with libraries' defaults, for thousands a second, breakers would never open. */
const SPAN_MS = 30_000;
const FEWEST_IN_SPAN = 10;
const FAILING_SHARE = 0.5;

/** Counts recent failures: in a row, and as a share of calls in the last half minute. */
class FailureCount {
  private readonly clock: Clock;
  /** This many failures in a row are enough on their own. */
  private readonly enoughInARow: number;
  private inARow = 0;
  private outcomes: { readonly atMs: number; readonly failed: boolean }[] = [];

  constructor(clock: Clock, enoughInARow: number) {
    this.clock = clock;
    this.enoughInARow = enoughInARow;
  }

  /** Counts a call. Returns true if it failed and there are now so many failures that the service may be down. */
  add(failed: boolean): boolean {
    const nowMs = this.clock.monotonicMs();
    this.inARow = failed ? this.inARow + 1 : 0;
    this.outcomes.push({ atMs: nowMs, failed });
    while (this.outcomes[0] !== undefined && this.outcomes[0].atMs <= nowMs - SPAN_MS) this.outcomes.shift();
    return failed && (this.inARow >= this.enoughInARow || this.isFailing());
  }

  reset(): void {
    this.inARow = 0;
    this.outcomes = [];
  }

  private isFailing(): boolean {
    const failures = this.outcomes.filter(({ failed }) => failed).length;
    return this.outcomes.length >= FEWEST_IN_SPAN && failures >= this.outcomes.length * FAILING_SHARE;
  }
}

/** Routes that are up or down together, because they share a backend. */
export interface RouteGroup {
  readonly name: string;
  readonly breaker: Breaker;
  /** Finds out whether the routes answer at all; null where the calls themselves decide. */
  readonly probe: Probe | null;
  /** Resolves when the probe that is under way has decided; null without one. */
  verdict: Promise<void> | null;
  /** As many slots as the breaker allows concurrent calls. */
  readonly slots: Slots;
}

/** The groups of one service: the first two parts of a template, such as `/job/v1` or `/v0/mission`. */
export interface RouteGroups {
  of(request: UpstreamRequest<unknown>): RouteGroup;
  all(): readonly RouteGroup[];
}

interface RouteGroupsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly probes?: Dialect['probes'];
  /** Called when the routes of a group are found down, and when they are back. */
  readonly onOutage?: (routes: string, isDown: boolean) => void;
}

/** Groups are created when their routes are first called, each with a closed breaker. */
export function createRouteGroups({ clock, random, probes = {}, onOutage }: RouteGroupsOptions): RouteGroups {
  const groups = new Map<string, RouteGroup>();
  return {
    of({ template }) {
      const name = template.split('/', 3).join('/');
      const known = groups.get(name);
      if (known !== undefined) return known;
      const probe = probes[name] ?? null;
      const onGroupOutage = (isDown: boolean) => onOutage?.(name, isDown);
      const breaker = new Breaker({ clock, random, verifies: probe !== null, onOutage: onGroupOutage });
      // An open breaker admits all waiting calls, so that they fail at once.
      const slots = createSlots(() => (breaker.state === 'open' ? Number.POSITIVE_INFINITY : breaker.mostInFlight));
      const group = { name, breaker, probe, verdict: null, slots };
      groups.set(name, group);
      return group;
    },
    all: () => [...groups.values()],
  };
}
