import type { ServiceName } from '../../../kernel/services.js';
import type { ResponseCache } from '../cache/response-cache.js';
import {
  type Call,
  type CallResponse,
  type Detach,
  type Handler,
  isBackground,
  type Stage,
  turnOf,
} from '../call/call.js';
import { isWrite } from '../call/upstream.js';
import { isOutage, unavailable } from '../failures/errors.js';
import type { Clock } from '../ports/clock.js';
import type { Outcome } from '../resilience/breaker.js';
import type { RouteGroup, RouteGroups } from '../resilience/route-groups.js';
import { createSlots } from '../resilience/slots.js';
import { type Prober, TRIAL_MS, tryOnce } from './trial.js';

/** Concurrent calls to one service: the bulkhead (reliability 3). */
const AT_ONCE = 32;

interface BreakerOptions {
  readonly service: ServiceName;
  readonly groups: RouteGroups;
  readonly clock: Clock;
  readonly cache: ResponseCache;
  /** Runs and records background work. */
  readonly detach: Detach;
  readonly prober: Prober;
}

/**
 * Fails immediately while the routes of a call are known to be down. A trial finds out whether they are back: a probe
 * if the service has one, because a caller's call may fail because of its content; else the call that is due.
 */
export function breaker({ service, groups, clock, cache, detach, prober }: BreakerOptions): Stage {
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
export function bulkhead({ service, groups, clock }: Pick<BreakerOptions, 'service' | 'groups' | 'clock'>): Stage {
  const all = createSlots(() => AT_ONCE);
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
        return await guarded(call, group, next, service);
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
  service: ServiceName,
): Promise<CallResponse> {
  const settle = breaker.admit(call.trial);
  if (settle === null) throw unavailable(service, breaker.trialInMs);
  let outcome: Outcome = 'neutral';
  try {
    const response = await next(call);
    outcome = 'success';
    return response;
  } catch (error) {
    // Any other response, even a refusal, shows that the service is up.
    if (isOutage(error) && !isOfOneId(call)) outcome = 'failure';
    else if (call.trail.head !== null) outcome = 'success';
    throw error;
  } finally {
    settle(outcome);
    slots.refresh();
  }
}

/** A readable but undocumented response to a request for one id says something about that id, not about the service. */
function isOfOneId({ request, trail }: Call): boolean {
  return trail.readable && request.template.includes('{');
}
