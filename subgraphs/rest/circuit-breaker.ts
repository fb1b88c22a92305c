import { createLru, unwatched, type WatchCache } from '../../kernel/caches.js';
import type { CodedError } from '../../kernel/errors.js';
import type { Credential } from '../../kernel/operation.js';
import type { Clock, Ports, Random } from './ports/ports.js';
import { createSlots, type Slots } from './quota/fair-queue.js';
import type { Dialect, Probe, UpstreamRequest } from './upstream.js';

/*
 * What is known of a service before a call is sent: which of its routes are down, and which keys it refuses.
 */

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
  readonly slots: Slots = createSlots(() => (this.isOpen ? Number.POSITIVE_INFINITY : this.mostInFlight));
  /** Resolves when the probe that is under way has decided; null without one. */
  verdict: Promise<void> | null = null;
  /** When a call last succeeded, on the monotonic clock. */
  lastSuccessMs = Number.NEGATIVE_INFINITY;
  private readonly options: RouteGroupOptions;
  private isOpen = false;
  /** Begins anew with each trial that decides: outcomes of calls from before say nothing about the present. */
  private counts = newCounts();
  private trialsFailed = 0;
  private trialAtMs = 0;
  private trialTaken = false;
  private atOnce = AT_ONCE_CLOSED;
  /** When it became half-open, or last saw a failure while half-open. */
  private failureFreeSinceMs = 0;

  constructor(options: RouteGroupOptions) {
    this.options = options;
    this.probe = options.probe;
  }

  /** `half-open` allows more and more concurrent calls. It closes without a timer, and counts on as nothing has changed. */
  get state(): 'closed' | 'open' | 'half-open' {
    if (this.isOpen) return 'open';
    if (this.nowMs - this.failureFreeSinceMs >= FAILURE_FREE_MS) this.atOnce = AT_ONCE_CLOSED;
    if (this.atOnce < AT_ONCE_CLOSED) return 'half-open';
    this.trialsFailed = 0;
    return 'closed';
  }

  /** Calls that may be in flight at once. */
  get mostInFlight(): number {
    return this.state === 'closed' ? AT_ONCE_CLOSED : this.atOnce;
  }

  /** Milliseconds until the next trial; 0 when it is due. */
  get trialInMs(): number {
    return Math.max(0, this.trialAtMs - this.nowMs);
  }

  /** Takes the trial's slot, if a trial is due or the routes are in doubt. Always call the result to give it back. */
  takeTrial(): (() => void) | null {
    const isDue = this.isOpen && this.trialInMs === 0;
    if (this.trialTaken || !(isDue || this.counts.isDoubted)) return null;
    this.trialTaken = true;
    return () => {
      this.trialTaken = false;
      // A trial that was never sent decides nothing; the next failure raises a doubt again.
      this.counts.isDoubted = false;
    };
  }

  /** Admits a call, or returns null. The function returned must be called with the call's outcome. */
  admit(trial: boolean): ((outcome: Outcome) => void) | null {
    if (this.isOpen && !trial) return null;
    const { counts } = this;
    return (outcome) => {
      if (outcome === 'neutral' || counts !== this.counts) return;
      const failed = outcome === 'failure';
      if (!failed) this.lastSuccessMs = this.nowMs;
      if (this.isOpen || trial) this.decide(failed);
      else this.count(failed);
    };
  }

  private get nowMs(): number {
    return this.options.clock.monotonicMs();
  }

  /** Applies the outcome of a trial. */
  private decide(failed: boolean): void {
    this.counts = newCounts();
    if (failed) this.open();
    else if (this.isOpen) {
      this.isOpen = false;
      this.startFromOne();
      this.options.onOutage?.(false);
    }
  }

  private count(failed: boolean): void {
    const { nowMs, state, counts } = this;
    counts.inARow = failed ? counts.inARow + 1 : 0;
    counts.recent = [...counts.recent.filter(({ atMs }) => atMs > nowMs - SPAN_MS), { atMs: nowMs, failed }];
    if (state === 'half-open' && failed) this.startFromOne();
    else if (state === 'half-open') {
      this.atOnce += 1;
      if (this.state === 'closed') this.counts = newCounts();
    }
    if (!failed || !this.isFailing()) return;
    if (this.probe === undefined) this.open();
    else counts.isDoubted = true;
  }

  private isFailing(): boolean {
    // The trial counts as the last of them.
    const enough = this.probe === undefined ? FAILURES_IN_A_ROW : FAILURES_IN_A_ROW - 1;
    const { inARow, recent } = this.counts;
    const failures = recent.filter(({ failed }) => failed).length;
    return inARow >= enough || (recent.length >= FEWEST_IN_SPAN && failures >= recent.length * FAILING_SHARE);
  }

  private open(): void {
    if (!this.isOpen) this.options.onOutage?.(true);
    this.isOpen = true;
    this.counts = newCounts();
    const afterMs = TRIALS_AFTER_MS[Math.min(this.trialsFailed, TRIALS_AFTER_MS.length - 1)] ?? 0;
    this.trialAtMs = this.nowMs + afterMs * (1 + JITTER * (2 * this.options.random() - 1));
    this.trialsFailed += 1;
  }

  private startFromOne(): void {
    this.atOnce = 1;
    this.failureFreeSinceMs = this.nowMs;
  }
}

function newCounts() {
  return {
    /** Failures in a row. */
    inARow: 0,
    /** The outcomes of the last half minute. */
    recent: [] as readonly { readonly atMs: number; readonly failed: boolean }[],
    /** Whether so many calls failed that the service may be down; a trial decides. */
    isDoubted: false,
  };
}

/** A key that was accepted within this time is doubtful when it is refused; any other is at fault. */
const ACCEPTED_MS = 15 * 60_000;
/** A key that is refused for this long is at fault, even if no other key shows it. */
const FAULT_AFTER_MS = 10 * 60_000;
/** A doubtful key is sent this often. */
export const KEY_TRIAL_MS = 3000;
/** How long a key at fault is not sent again. */
const HELD_MS = 60_000;
const MAX_KEYS = 10_000;
/** Bytes of heap for a fingerprint and its time, and for one with a refusal. */
const KEY_BYTES = 300;
const REFUSED_BYTES = 1000;

/** A key that a service refuses. */
interface RefusedKey {
  readonly sinceMs: number;
  /** Until when it is not sent again. */
  readonly heldUntilMs: number;
  /** Its refusal; null while it is doubtful. */
  readonly fault: Pick<CodedError, 'code' | 'message'> | null;
}

/**
 * What a service says of keys, which are known by their fingerprints.
 *
 * - One **at fault** is not sent for a minute: if a service counts by our address, calls with an invented key use up
 *   everybody's quota. The operator's, which the operator has to mend, only once it was refused for a minute.
 * - Some words of a refusal are those of the service's own outage too (work-study 5.1). A key that it accepted lately is
 *   then **doubtful**, and sent every few seconds: that is an outage until another key is accepted meanwhile, or for ten
 *   minutes. Then it is the key's fault.
 *
 * With `doubtsUnseen`, a key is also doubtful if it was accepted long ago, or by another process.
 */
function createKeyStates(clock: Clock, doubtsUnseen: boolean, watchCache: WatchCache) {
  /** When keys were last accepted; infinitely long ago if one was found at fault since in ambiguous words. */
  const acceptedMs = createLru<number>(MAX_KEYS);
  const refusals = createRefusals();
  watchCache('refused-keys', () => KEY_BYTES * acceptedMs.size + REFUSED_BYTES * refusals.size());
  /** When the last call was sent whose key was accepted: later than a key's doubt, that was another key. */
  let lastAcceptedMs = Number.NEGATIVE_INFINITY;

  /** Whether a refusal may be of an outage: its key was good before, and nothing has shown since that it is at fault. */
  function mayBeOutage(key: string, refused: RefusedKey | undefined): boolean {
    const nowMs = clock.monotonicMs();
    if (refused?.fault === null) return nowMs - refused.sinceMs < FAULT_AFTER_MS && lastAcceptedMs <= refused.sinceMs;
    const goodMs = acceptedMs.get(key) ?? (doubtsUnseen && refused === undefined ? nowMs : Number.NEGATIVE_INFINITY);
    return nowMs - goodMs <= (doubtsUnseen ? Number.MAX_VALUE : ACCEPTED_MS);
  }

  return {
    /** What the service last said of it; none, and one that it has not seen, is as good as accepted. */
    verdictOn(key: Credential | null): 'accepted' | 'doubtful' | 'refused' {
      const refused = refusals.of(key?.fingerprint ?? '');
      if (refused === undefined) return 'accepted';
      return refused.fault === null ? 'doubtful' : 'refused';
    },

    /** A key that must not be sent now; null if it may be, which is then the trial of a doubtful one. */
    held({ fingerprint }: Credential): RefusedKey | null {
      const refused = refusals.of(fingerprint);
      const nowMs = clock.monotonicMs();
      if (refused === undefined) return null;
      if (nowMs < refused.heldUntilMs) return refused;
      if (refused.fault === null) refusals.put(fingerprint, { ...refused, heldUntilMs: nowMs + KEY_TRIAL_MS });
      return null;
    },

    /** The service accepted a key in a call sent at this time. Calls from before a doubt do not end it. */
    accept({ fingerprint }: Credential, sentMs: number): void {
      lastAcceptedMs = Math.max(lastAcceptedMs, sentMs);
      const refused = refusals.of(fingerprint);
      if (refused?.fault === null && sentMs < refused.sinceMs) return;
      refusals.delete(fingerprint);
      acceptedMs.set(fingerprint, clock.monotonicMs());
    },

    /** The service refused a key, perhaps in ambiguous words. Returns whether that is doubtful rather than the key's fault. */
    refuse(
      key: Credential,
      { code, message }: CodedError,
      how: { isAmbiguous: boolean; isOperators: boolean },
    ): boolean {
      const { fingerprint } = key;
      const refused = refusals.of(fingerprint);
      const nowMs = clock.monotonicMs();
      const isDoubtful = how.isAmbiguous && mayBeOutage(fingerprint, refused);
      if (how.isAmbiguous && !isDoubtful && (doubtsUnseen || acceptedMs.has(fingerprint)))
        acceptedMs.set(fingerprint, Number.NEGATIVE_INFINITY);
      // A doubt that ends as a fault is one from then on: an operator's key is sent for a minute more.
      const isSame = refused !== undefined && (refused.fault === null) === isDoubtful;
      const sinceMs = isSame ? refused.sinceMs : nowMs;
      const mayBeSent = how.isOperators && nowMs - sinceMs < HELD_MS;
      const heldUntilMs = nowMs + (isDoubtful ? KEY_TRIAL_MS : mayBeSent ? 0 : HELD_MS);
      refusals.put(fingerprint, { sinceMs, heldUntilMs, fault: isDoubtful ? null : { code, message } });
      return isDoubtful;
    },

    /** The service said something else to a key: at least it is not at fault. */
    answer({ fingerprint }: Credential): void {
      if (refusals.of(fingerprint)?.fault) refusals.delete(fingerprint);
    },
  };
}

/** Keys that are refused. Strangers, who may send any number of keys at fault, push out none that is doubtful. */
function createRefusals() {
  const [doubtful, atFault] = [createLru<RefusedKey>(MAX_KEYS), createLru<RefusedKey>(MAX_KEYS)];
  return {
    of: (key: string) => doubtful.get(key) ?? atFault.get(key),
    put(key: string, refused: RefusedKey): void {
      (refused.fault === null ? atFault : doubtful).delete(key);
      (refused.fault === null ? doubtful : atFault).set(key, refused);
    },
    delete: (key: string) => doubtful.delete(key) || atFault.delete(key),
    size: () => doubtful.size + atFault.size,
  };
}

/** The state of one service: its groups by the first two parts of a template, such as `/job/v1`, and its keys. */
export type RouteGroups = ReturnType<typeof createRouteGroups>;

/** Groups are created when their routes are first called, closed. */
export function createRouteGroups(
  { clock, random, watchCache = unwatched }: Pick<Ports, 'clock' | 'random' | 'watchCache'>,
  { probes = {}, doubtsUnseenKeys = false }: Pick<Dialect, 'probes' | 'doubtsUnseenKeys'> = {},
  /** Called when the routes of a group are found down, and when they are back. */
  onOutage: (routes: string, isDown: boolean) => void = () => {},
) {
  const all = new Map<string, RouteGroup>();
  return {
    all,
    keys: createKeyStates(clock, doubtsUnseenKeys, watchCache),
    of({ template }: UpstreamRequest<unknown>): RouteGroup {
      const name = template.split('/', 3).join('/');
      const onGroupOutage = (isDown: boolean) => onOutage(name, isDown);
      const group = all.get(name) ?? new RouteGroup({ clock, random, probe: probes[name], onOutage: onGroupOutage });
      all.set(name, group);
      return group;
    },
  };
}
