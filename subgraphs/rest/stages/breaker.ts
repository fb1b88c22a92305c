import { createLru, unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { ServiceName } from '../../../kernel/services.js';
import { type Call, type CallResponse, createTrail, type Handler, isBackground, type Stage, turnOf } from '../call.js';
import type { Outcome, RouteGroup } from '../circuit-breaker.js';
import { brokenRecord, isOutage, unavailable } from '../failures.js';
import type { Clock } from '../ports/ports.js';
import { TransportFailure } from '../ports/transport.js';
import { createSlots } from '../quota/fair-queue.js';
import { isWrite, unattendedOperation } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** Concurrent calls to one service: the bulkhead (reliability 3). */
const AT_ONCE = 32;

/**
 * Fails immediately while the routes of a call are known to be down. A trial finds out whether they are back: a probe
 * if the service has one, because a caller's call may fail because of its content; else the call that is due.
 */
export function breaker({ service, groups, clock, cache, detach }: ServiceParts, prober: Prober): Stage {
  return (next) => async (call) => {
    const group = groups.of(call.request);
    const verdict = group.breaker.state === 'open' ? undefined : prober.verdict(group, call.signal);
    if (verdict !== undefined) await verdict;
    if (group.breaker.state !== 'open') return next(call).finally(() => prober.probe(call, group, next));
    if (group.probe !== null) {
      prober.probe(call, group, next);
      throw unavailable(service, group.breaker.trialInMs);
    }
    const giveBack = group.breaker.takeTrial();
    if (giveBack === null) throw unavailable(service, group.breaker.trialInMs);
    // A write is never sent twice, and no caller waits for a background call, so these are the trial themselves. For
    // any other call a copy is, and its caller does not wait.
    if (isWrite(call.request)) return next({ ...call, trial: true }).finally(giveBack);
    const trialTime = { clock, waitMs: TRIAL_MS };
    if (call.unattended) return tryOnce(call, next, trialTime).finally(giveBack);
    detach(call, async (trial) => cache.put(trial, await tryOnce(trial, next, trialTime).finally(giveBack)));
    throw unavailable(service, 0);
  };
}

/** Makes calls wait for a slot, callers' before background work, and reports their outcomes to the breaker. */
export function bulkhead({ service, groups, clock, watchCache }: ServiceParts): Stage {
  const all = createSlots(() => AT_ONCE);
  const broken = new BrokenRecords(clock, watchCache);
  return (next) => async (call) => {
    const group = groups.of(call.request);
    const queuedAtMs = clock.monotonicMs();
    const waiter = { signal: call.signal, ...turnOf(call) };
    const background = isBackground(call);
    const leaveGroup = await group.slots.enter(waiter, background);
    try {
      const leave = await all.enter(waiter, background);
      call.trail.queuedMs += clock.monotonicMs() - queuedAtMs;
      try {
        return await guarded(call, group, next, { service, broken });
      } finally {
        leave();
      }
    } finally {
      leaveGroup();
    }
  };
}

async function guarded(
  call: Call,
  { breaker, slots }: RouteGroup,
  next: Handler,
  { service, broken }: { readonly service: ServiceName; readonly broken: BrokenRecords },
): Promise<CallResponse> {
  const settle = breaker.admit(call.trial);
  if (settle === null) throw unavailable(service, breaker.trialInMs);
  let outcome: Outcome = 'neutral';
  try {
    const response = await next(call);
    outcome = 'success';
    broken.answered(call);
    return response;
  } catch (error) {
    if (broken.isBroken(call, breaker.lastSuccessMs)) throw brokenRecord(service, error);
    // Any other response, even a refusal, shows that the service is up.
    if (isOutage(error) && !isOfItsInput(call)) outcome = 'failure';
    else if (call.trail.head !== null) outcome = 'success';
    throw error;
  } finally {
    settle(outcome);
    slots.refresh();
  }
}

/**
 * A slow call may fail because of its input, and a readable but undocumented response to a request for one id says
 * something about that id, not about the service.
 */
function isOfItsInput({ request, trail }: Call): boolean {
  return request.cache === 'slow' || (trail.readable && request.template.includes('{'));
}

const MAX_BROKEN = 1000;
/** Bytes of heap for an address and its time. */
const BROKEN_BYTES = 1000;
/** A record that has not failed for this long is suspected anew. */
const BROKEN_MS = 60 * 60_000;

/**
 * Records that their service cannot read, so that a request for their id fails for ever as if the service were down
 * (work-study 7.2). One failure may be an outage. A second is of the record itself if its routes have answered meanwhile.
 */
class BrokenRecords {
  private readonly clock: Clock;
  /** When each address first failed. */
  private readonly failed: ReturnType<typeof createLru<{ readonly sinceMs: number }>>;

  constructor(clock: Clock, watchCache: WatchCache = unwatched) {
    this.clock = clock;
    this.failed = createLru(MAX_BROKEN, { ttl: BROKEN_MS, perf: { now: () => clock.monotonicMs() } });
    watchCache('broken-records', () => BROKEN_BYTES * this.failed.size);
  }

  /** Whether a call failed because of its record, and not of its service. */
  isBroken({ request, trail }: Call, lastSuccessMs: number): boolean {
    if (!trail.mayBeOfRecord) return false;
    const known = this.failed.get(request.path);
    const { sinceMs } = known ?? { sinceMs: this.clock.monotonicMs() };
    this.failed.set(request.path, { sinceMs });
    return lastSuccessMs > sinceMs;
  }

  answered({ request }: Call): void {
    if (this.failed.size > 0) this.failed.delete(request.path);
  }
}

/** How long a trial may take: less than a caller waits, more than a healthy response ever takes (reliability 3). */
const TRIAL_MS = 2000;
/** How long a probe may wait for a slot: calls ahead of it may take until their own timeout of 10 s. */
const PROBE_WAIT_MS = 10_000;
/**
 * How long calls wait for the outcome of a probe: a probe that could be sent at once has ended by then.
 */
const HOLD_MS = TRIAL_MS + 500;

/** When to check a group again whose due probe is in flight, or was not sent, perhaps because the quota is spent. */
const UNDECIDED_MS = 8000;

/** Sends probes, at most one at a time for each group of routes. */
interface Prober {
  /** Resolves when the probe in flight has decided; undefined if there is none. Rejects if the signal aborts first. */
  verdict(group: RouteGroup, signal: AbortSignal): Promise<void> | undefined;
  /** Sends a probe if one is due, with the operator's key if there is one. */
  probe(call: Call, group: RouteGroup, next: Handler): void;
  /** Cancels planned probes. */
  close(): void;
}

/**
 * Probes are sent with the operator's key: a failure caused by one caller's key says nothing about the service. While
 * routes are down, the next probe is sent when it is due, even if nobody calls. Without an operator's key, the next
 * call after that sends one with its own.
 */
export function createProber({
  clock,
  detach,
  operatorKey,
}: Pick<ServiceParts, 'clock' | 'detach' | 'operatorKey'>): Prober {
  const verdicts = new WeakMap<RouteGroup, Promise<void>>();
  /** Cancels the next probe of a group that is down. */
  const planned = new Map<RouteGroup, () => void>();
  let isClosed = false;

  function probe(call: Call, group: RouteGroup, next: Handler): void {
    const giveBack = group.probe === null ? null : group.breaker.takeTrial();
    if (group.probe === null || giveBack === null) return;
    const key = operatorKey === null ? call.request.key : 'operator';
    const credential = operatorKey ?? call.credential;
    const request = { ...group.probe, key, cache: 'never', parse: nothing } as const;
    const verdict = new Promise<void>((resolve) => {
      const cancel = clock.after(HOLD_MS, resolve);
      // While the routes are only in doubt, the probe is not a trial: its failure is to be reported.
      const trial = group.breaker.state === 'open';
      detach({ ...call, request, credential, entry: null, trial }, async (own) => {
        const spare = { ...own, request: { ...request, key: call.request.key }, credential: call.credential };
        await send(own, trial ? spare : own, next).finally(() => {
          giveBack();
          cancel();
          resolve();
          if (operatorKey !== null) plan(withoutCaller(own), group, next);
        });
      });
    });
    verdicts.set(group, verdict);
    void verdict.then(() => verdicts.delete(group));
  }

  /** While routes are down, a caller's own key steps in if the operator's could not be sent, its quota being spent. */
  async function send(own: Call, spare: Call, next: Handler): Promise<void> {
    const time = { clock, waitMs: PROBE_WAIT_MS };
    try {
      await tryOnce(own, next, time);
    } catch (error) {
      if (own.trail.sent > 0 || spare.credential === own.credential) throw error;
      await tryOnce(spare, next, time);
    }
  }

  function plan(call: Call, group: RouteGroup, next: Handler): void {
    planned.get(group)?.();
    planned.delete(group);
    const { state, trialInMs } = group.breaker;
    if (isClosed || state !== 'open') return;
    const sendDue = () => {
      if (group.breaker.state === 'open') probe(call, group, next);
      plan(call, group, next);
    };
    planned.set(group, clock.after(trialInMs > 0 ? trialInMs : UNDECIDED_MS, sendDue));
  }

  return {
    verdict(group, signal) {
      const verdict = verdicts.get(group);
      return verdict && unlessAborted(verdict, signal);
    },
    probe,
    close() {
      isClosed = true;
      for (const cancel of planned.values()) cancel();
      planned.clear();
    },
  };
}

/** Parses and stops probes. As an inline closure it would retain the call that caused each probe. */
function nothing(): undefined {}

/** What the next probe needs from one that has ended, with nothing of the request that caused it. */
function withoutCaller({ request, credential, partition }: Call): Call {
  const { signal } = new AbortController();
  const operation = unattendedOperation({ purpose: 'probe', ms: PROBE_WAIT_MS, signal });
  const { deadline } = operation;
  const trail = createTrail('BYPASS');
  const own = { request, operation, credential, partition, identity: '', signal, stop: nothing, deadline, entry: null };
  return { ...own, unattended: true, trial: true, trail };
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new TransportFailure('aborted', signal.reason));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** How long a trial may wait before it is sent. */
interface TrialTime {
  readonly clock: Clock;
  readonly waitMs: number;
}

/** Sends a call once, for what it reveals about the service; no caller waits for it. */
function tryOnce(call: Call, next: Handler, { clock, waitMs }: TrialTime): Promise<CallResponse> {
  const controller = new AbortController();
  const untilMs = clock.monotonicMs() + waitMs;
  const sentBefore = call.trail.sent;
  // Its wait before sending is bounded too. Once sent, only the attempt's deadline ends it: that says something about
  // the service, which leaving would not.
  const leaveUnsent = () => {
    if (call.trail.sent === sentBefore) controller.abort();
  };
  const cancel = clock.after(waitMs + TRIAL_MS, leaveUnsent);
  const deadline = { remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) };
  const request = { ...call.request, attemptMs: TRIAL_MS };
  const own = { signal: controller.signal, stop: () => controller.abort(), deadline };
  return next({ ...call, request, trial: true, unattended: true, ...own }).finally(cancel);
}
