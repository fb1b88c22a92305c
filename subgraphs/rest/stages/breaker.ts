import { createLru, unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { Credential } from '../../../kernel/operation.js';
import type { ServiceName } from '../../../kernel/services.js';
import { type Call, type CallResponse, type Handler, isBackground, type Stage, startCall, turnOf } from '../call.js';
import type { Outcome, RouteGroup } from '../circuit-breaker.js';
import { brokenRecord, isOutage, unavailable } from '../failures.js';
import { type Clock, endingIn } from '../ports/ports.js';
import { createSlots } from '../quota/fair-queue.js';
import { unattendedOperation } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** Concurrent calls to one service: the bulkhead (reliability 3). */
const AT_ONCE = 32;

/**
 * How long a probe may take, and any other trial may wait for its quota: less than a caller waits, more than a healthy
 * response ever takes (reliability 3).
 */
const PROBE_MS = 2000;
/** How long a probe may wait for its quota: calls ahead of it may take until their own timeout of 10 s. */
const PROBE_WAIT_MS = 10_000;
/** How long calls wait for what a probe decides: one that could be sent at once has ended by then. */
const HOLD_MS = PROBE_MS + 500;
/** When a group is probed again whose due probe was not sent, perhaps because the quota is spent. */
const UNDECIDED_MS = 8000;

/**
 * Fails immediately while the routes of a call are known to be down. A trial finds out whether they are back: a probe
 * if the service has one, because a caller's call may fail because of its content; else the call that is due.
 *
 * Probes are sent with the operator's key: a failure caused by one caller's key says nothing about the service. While
 * routes are down, the next one is sent when it is due, even if nobody calls; without an operator's key, by the next call
 * after that, with its key.
 */
export function breaker({ service, groups, clock, detach, operatorKey, closing }: ServiceParts): Stage {
  /** Calls off the next probe of a group, which has one at most. */
  const planned = new WeakMap<RouteGroup, () => void>();
  return (next) => {
    async function send(probe: Call, group: RouteGroup, decided: () => void): Promise<void> {
      const controller = new AbortController();
      const own = { signal: controller.signal, stop: () => controller.abort(), trial: true };
      await next({ ...probe, ...own }).finally(() => {
        decided();
        if (group.breaker.state !== 'open' || operatorKey === null) return;
        planned.get(group)?.();
        const inMs = group.breaker.trialInMs || UNDECIDED_MS;
        planned.set(
          group,
          clock.after(inMs, () => closing.aborted || probeIfDue(group, operatorKey)),
        );
      });
    }

    /** Sends the probe of a group, at most one at a time, if its routes are in doubt or a trial of them is due. */
    function probeIfDue(group: RouteGroup, credential: Credential | null): void {
      const giveBack = group.probe === null ? null : group.breaker.takeTrial();
      if (group.probe === null || giveBack === null) return;
      const operation = unattendedOperation({ purpose: 'probe', ms: PROBE_WAIT_MS, signal: closing });
      const key = operatorKey === null ? 'caller' : 'operator';
      const request = { ...group.probe, key, cache: 'never', attemptMs: PROBE_MS, parse: nothing } as const;
      const call = { ...startCall(service, request, operation), credential, unattended: true };
      group.verdict = new Promise<void>((resolve) => {
        const decided = () => {
          cancel();
          group.verdict = null;
          resolve();
        };
        const cancel = clock.after(HOLD_MS, decided);
        // While the routes are only in doubt, the failure of the probe is to be reported.
        detach({ ...call, trial: group.breaker.state === 'open' }, (probe) =>
          send(probe, group, () => {
            giveBack();
            decided();
          }),
        );
      });
    }

    return async (call) => {
      const group = groups.of(call.request);
      const { breaker } = group;
      if (group.verdict !== null && breaker.state !== 'open') await group.verdict;
      const probe = () => probeIfDue(group, operatorKey ?? call.credential);
      if (breaker.state !== 'open') return next(call).finally(probe);
      probe();
      const giveBack = group.probe === null ? breaker.takeTrial() : null;
      if (giveBack === null) throw unavailable(service, breaker.trialInMs);
      const deadline = endingIn(PROBE_MS, call.deadline, clock);
      const trial = next({ ...call, trial: true, deadline }).finally(giveBack);
      return trial.catch((error) => {
        throw call.trail.sent > 0 ? error : unavailable(service, breaker.trialInMs);
      });
    };
  };
}

/** Parses probes. */
function nothing(): undefined {}

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
