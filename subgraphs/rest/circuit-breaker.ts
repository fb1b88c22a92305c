import type { Clock, Random } from './ports/ports.js';
import { createSlots, type Slots } from './quota/fair-queue.js';
import type { Dialect, Probe, UpstreamRequest } from './upstream.js';

const FAILURES_IN_A_ROW = 5;
/** Sized for tens of calls a minute: with libraries' defaults, for thousands a second, breakers would never open. */
const SPAN_MS = 30_000;
const FEWEST_IN_SPAN = 10;
const FAILING_SHARE = 0.5;
/** Waits before the first trial, the second, …; the last repeats. Each is up to a fifth shorter or longer. */
const TRIALS_AFTER_MS = [1000, 2000, 4000, 8000] as const;
const JITTER = 0.2;
/** Concurrent calls that a closed breaker allows; a half-open one closes when it would allow as many. */
const AT_ONCE_CLOSED = 32;
/** It also closes after so long without a failure: at a few calls an hour, 31 successes may take hours. */
const FAILURE_FREE_MS = 30_000;

/** How a call ended. `neutral` says nothing about the service: the caller left, or the call was never sent. */
export type Outcome = 'success' | 'failure' | 'neutral';

/** What the routes of a group need. */
interface RouteGroupOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** A probe of our own, if there is one: failures then only raise a doubt, and only a failed trial opens the breaker. */
  readonly probe?: Probe | undefined;
  /** Called when the routes are found down, and when a trial has found them back. */
  readonly onOutage?: (isDown: boolean) => void;
}

/**
 * Routes that are up or down together, because they share a backend, behind a circuit breaker. Closed, it counts
 * failures. Open, it lets through only one trial at a time. After a good trial it is half-open: it counts anew and allows
 * one concurrent call, and one more after each success; a failure starts that again from one. It closes after 31
 * successes, or half a minute without a failure.
 */
export class RouteGroup {
  /** Finds out whether the routes answer at all; undefined where the calls themselves decide. */
  readonly probe: Probe | undefined;
  /** As many as there may be calls in flight. An open breaker admits all waiting calls, so that they fail at once. */
  readonly slots: Slots = createSlots(() => (this.state === 'open' ? Number.POSITIVE_INFINITY : this.mostInFlight));
  /** Resolves when the probe that is under way has decided; null without one. */
  verdict: Promise<void> | null = null;
  private readonly options: RouteGroupOptions;
  private current: 'closed' | 'open' | 'half-open' = 'closed';
  /** Incremented with each change of state: outcomes of earlier calls say nothing about the present. */
  private generation = 0;
  /** Failures in a row, and the outcomes of the last half minute. */
  private inARow = 0;
  private recent: { readonly atMs: number; readonly failed: boolean }[] = [];
  /** Whether so many calls failed that the service may be down; a trial decides. */
  private doubted = false;
  private trialsFailed = 0;
  private trialAtMs = 0;
  private trialTaken = false;
  private atOnce = AT_ONCE_CLOSED;
  /** When it became half-open, or last saw a failure while half-open. */
  private failureFreeSinceMs = 0;
  private succeededAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: RouteGroupOptions) {
    this.options = options;
    this.probe = options.probe;
  }

  /** `half-open` allows more and more concurrent calls. */
  get state(): 'closed' | 'open' | 'half-open' {
    // Without a timer. The generation stays: calls sent before still count, as nothing has changed.
    if (this.current === 'half-open' && this.nowMs - this.failureFreeSinceMs >= FAILURE_FREE_MS) this.close();
    return this.current;
  }

  /** Calls that may be in flight at once. */
  get mostInFlight(): number {
    return this.state === 'closed' ? AT_ONCE_CLOSED : this.atOnce;
  }

  /** When a call last succeeded, on the monotonic clock. */
  get lastSuccessMs(): number {
    return this.succeededAtMs;
  }

  /** Milliseconds until the next trial; 0 when it is due. */
  get trialInMs(): number {
    return Math.max(0, this.trialAtMs - this.nowMs);
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
      if (outcome === 'neutral' || admitted !== this.generation) return;
      const failed = outcome === 'failure';
      if (!failed) this.succeededAtMs = this.nowMs;
      if (this.state === 'open' || trial) this.decide(failed);
      else this.count(failed);
    };
  }

  private get nowMs(): number {
    return this.options.clock.monotonicMs();
  }

  /** Applies the outcome of a trial. */
  private decide(failed: boolean): void {
    if (failed) this.open();
    else if (this.current !== 'open') this.forget();
    else {
      this.change('half-open');
      this.startFromOne();
      this.options.onOutage?.(false);
    }
  }

  private count(failed: boolean): void {
    const { nowMs } = this;
    this.inARow = failed ? this.inARow + 1 : 0;
    this.recent = [...this.recent.filter(({ atMs }) => atMs > nowMs - SPAN_MS), { atMs: nowMs, failed }];
    if (failed && this.isFailing()) {
      if (this.probe === undefined) this.open();
      else this.doubted = true;
    }
    if (this.current !== 'half-open') return;
    if (failed) this.startFromOne();
    else if (this.atOnce + 1 < AT_ONCE_CLOSED) this.atOnce += 1;
    else {
      this.close();
      this.change('closed');
    }
  }

  private isFailing(): boolean {
    // The trial counts as the last of them.
    const enough = this.probe === undefined ? FAILURES_IN_A_ROW : FAILURES_IN_A_ROW - 1;
    const failures = this.recent.filter(({ failed }) => failed).length;
    const isHalf = this.recent.length >= FEWEST_IN_SPAN && failures >= this.recent.length * FAILING_SHARE;
    return this.inARow >= enough || isHalf;
  }

  private open(): void {
    if (this.current !== 'open') this.options.onOutage?.(true);
    this.change('open');
    const afterMs = TRIALS_AFTER_MS[Math.min(this.trialsFailed, TRIALS_AFTER_MS.length - 1)] ?? 0;
    this.trialAtMs = this.nowMs + afterMs * (1 + JITTER * (2 * this.options.random() - 1));
    this.trialsFailed += 1;
  }

  private startFromOne(): void {
    this.atOnce = 1;
    this.failureFreeSinceMs = this.nowMs;
  }

  private close(): void {
    this.current = 'closed';
    this.trialsFailed = 0;
  }

  private change(next: 'closed' | 'open' | 'half-open'): void {
    this.current = next;
    this.generation += 1;
    this.forget();
  }

  private forget(): void {
    this.doubted = false;
    this.inARow = 0;
    this.recent = [];
  }
}

/** The groups of one service by name: the first two parts of a template, such as `/job/v1` or `/v0/mission`. */
export type RouteGroups = ReturnType<typeof createRouteGroups>;

/** Groups are created when their routes are first called, closed. */
export function createRouteGroups(
  { clock, random }: Pick<RouteGroupOptions, 'clock' | 'random'>,
  probes: Dialect['probes'] = {},
  /** Called when the routes of a group are found down, and when they are back. */
  onOutage: (routes: string, isDown: boolean) => void = () => {},
) {
  const all = new Map<string, RouteGroup>();
  return {
    all,
    of({ template }: UpstreamRequest<unknown>): RouteGroup {
      const name = template.split('/', 3).join('/');
      const onGroupOutage = (isDown: boolean) => onOutage(name, isDown);
      const group = all.get(name) ?? new RouteGroup({ clock, random, probe: probes[name], onOutage: onGroupOutage });
      all.set(name, group);
      return group;
    },
  };
}
