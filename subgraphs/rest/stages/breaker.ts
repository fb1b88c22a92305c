import { createLru } from '../../../kernel/caches.js';
import type { Credential } from '../../../kernel/operation.js';
import { type Call, isBackground, requesterOf, type Stage, startCall } from '../call.js';
import type { Outcome, RouteGroup } from '../circuit-breaker.js';
import { brokenRecord, isOutage, unavailable } from '../failures.js';
import { endingIn } from '../ports/ports.js';
import { createSlots } from '../quota/fair-queue.js';
import { unattendedOperation } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

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
    /** Sends the probe of a group, at most one at a time, if its routes are in doubt or a trial of them is due. */
    function probeIfDue(group: RouteGroup, credential: Credential | null): void {
      const giveBack = group.probe === undefined ? null : group.takeTrial();
      if (group.probe === undefined || giveBack === null) return;
      const operation = unattendedOperation({ purpose: 'probe', ms: PROBE_WAIT_MS, signal: closing });
      const key = operatorKey === null ? 'caller' : 'operator';
      const request = { ...group.probe, key, cache: 'never', attemptMs: PROBE_MS, parse: () => undefined } as const;
      // While the routes are only in doubt, the failure of the probe is to be reported.
      const trial = group.state === 'open';
      const call = { ...startCall(service, request, operation), credential, unattended: true, trial };
      let decided = () => {};
      group.verdict = new Promise<void>((resolve) => {
        decided = () => {
          cancel();
          group.verdict = null;
          resolve();
        };
      });
      const cancel = clock.after(HOLD_MS, decided);
      detach(call, async (probe) => {
        const controller = new AbortController();
        await next({ ...probe, signal: controller.signal, stop: () => controller.abort(), trial: true }).finally(() => {
          giveBack();
          decided();
          if (group.state === 'open' && operatorKey !== null) planProbe(group, operatorKey);
        });
      });
    }

    function planProbe(group: RouteGroup, credential: Credential): void {
      planned.get(group)?.();
      const probe = () => closing.aborted || probeIfDue(group, credential);
      planned.set(group, clock.after(group.trialInMs || UNDECIDED_MS, probe));
    }

    return async (call) => {
      const group = groups.of(call.request);
      if (group.verdict !== null && group.state !== 'open') await group.verdict;
      const probe = () => probeIfDue(group, operatorKey ?? call.credential);
      if (group.state !== 'open') return next(call).finally(probe);
      probe();
      const giveBack = group.probe === undefined ? group.takeTrial() : null;
      if (giveBack === null) throw unavailable(service, group.trialInMs);
      const deadline = endingIn(PROBE_MS, call.deadline, clock);
      const trial = next({ ...call, trial: true, deadline }).finally(giveBack);
      return trial.catch((error) => {
        throw call.trail.sent > 0 ? error : unavailable(service, group.trialInMs);
      });
    };
  };
}

/** Concurrent calls to one service: the bulkhead (reliability 3). */
const AT_ONCE = 32;

const MAX_BROKEN = 1000;
/** Bytes of heap for an address and its time. */
const BROKEN_BYTES = 1000;
/** A record that has not failed for this long is suspected anew. */
const BROKEN_MS = 60 * 60_000;

/**
 * Makes calls wait for a slot, callers' before background work, and reports their outcomes to the breaker.
 *
 * A service may be unable to read one record, so that a request for its id fails for ever as if the service were down
 * (work-study 7.2). One failure may be an outage. A second is of the record itself if its routes have answered meanwhile.
 */
export function bulkhead({ service, groups, clock, watchCache }: ServiceParts): Stage {
  const all = createSlots(() => AT_ONCE);
  const perf = { now: () => clock.monotonicMs() };
  /** When each address first failed. */
  const failedMs = createLru<number>(MAX_BROKEN, { ttl: BROKEN_MS, perf });
  watchCache?.('broken-records', () => BROKEN_BYTES * failedMs.size);

  function outcomeOf(call: Call, error: unknown): Outcome {
    // Any other response, even a refusal, shows that the service is up.
    if (isOutage(error) && !isOfItsInput(call)) return 'failure';
    return call.trail.head === null ? 'neutral' : 'success';
  }

  return (next) => {
    async function send(call: Call, group: RouteGroup) {
      const { path } = call.request;
      const settle = group.admit(call.trial);
      if (settle === null) throw unavailable(service, group.trialInMs);
      let outcome: Outcome = 'neutral';
      try {
        const response = await next(call);
        outcome = 'success';
        failedMs.delete(path);
        return response;
      } catch (error) {
        if (call.trail.mayBeOfRecord) {
          const firstMs = failedMs.get(path) ?? clock.monotonicMs();
          failedMs.set(path, firstMs);
          if (group.lastSuccessMs > firstMs) throw brokenRecord(service, error);
        }
        outcome = outcomeOf(call, error);
        throw error;
      } finally {
        settle(outcome);
        group.slots.refresh();
      }
    }

    return async (call) => {
      const group = groups.of(call.request);
      const queuedAtMs = clock.monotonicMs();
      const waiter = { signal: call.signal, ...requesterOf(call) };
      const leaveGroup = await group.slots.enter(waiter, isBackground(call));
      try {
        const leave = await all.enter(waiter, isBackground(call));
        call.trail.queuedMs += clock.monotonicMs() - queuedAtMs;
        return await send(call, group).finally(leave);
      } finally {
        leaveGroup();
      }
    };
  };
}

/**
 * A slow call may fail because of its input, and a readable but undocumented response to a request for one id says
 * something about that id, not about the service.
 */
function isOfItsInput({ request, trail }: Call): boolean {
  return request.cache === 'slow' || (trail.readable && request.template.includes('{'));
}
