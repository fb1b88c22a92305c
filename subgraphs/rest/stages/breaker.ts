import type { ServiceName } from '../../../schema/services.js';
import type { AnswerCache } from '../answer-cache.js';
import type { Outcome } from '../breaker.js';
import { type Answer, type Call, type Handler, isBackground, type Stage } from '../call.js';
import { unavailable } from '../errors.js';
import { isWrite } from '../is-write.js';
import { isOutage } from '../outage.js';
import type { Clock } from '../ports/clock.js';
import type { RouteGroup, RouteGroups } from '../route-groups.js';
import { createSlots } from '../slots.js';

/** Calls to one service at once (DESIGN 6). */
const AT_ONCE = 32;
/** A trial may take so long (RELIABILITY C). */
const TRIAL_MS = 2000;

export interface BreakerOptions {
  readonly service: ServiceName;
  readonly groups: RouteGroups;
  readonly clock: Clock;
  readonly cache: AnswerCache;
  /** Runs what nobody waits for, and writes it down. */
  readonly detach: Detach;
}

/** Runs a call that nobody waits for, with a row of its own. */
export type Detach = (call: Call, run: (call: Call) => Promise<void>) => void;

/**
 * Fails at once while the routes of a call are known to be down. When a trial is due, the call that comes first is sent
 * once more for it: its caller does not wait. What nobody waits for is the trial itself, and so is a write, which is
 * never sent twice.
 */
export function breaker({ service, groups, clock, cache, detach }: BreakerOptions): Stage {
  return (next) => async (call) => {
    const group = groups.of(call.request);
    if (group.breaker.state !== 'open') return next(call);
    const giveBack = group.breaker.takeTrial();
    if (giveBack === null) throw unavailable(service, group.breaker.trialInMs);
    if (isWrite(call.request)) return next({ ...call, trial: true }).finally(giveBack);
    if (call.unattended) return tryOnce(call, next, clock).finally(giveBack);
    detach(call, async (trial) => cache.keep(trial, await tryOnce(trial, next, clock).finally(giveBack)));
    throw unavailable(service, 0);
  };
}

function tryOnce(call: Call, next: Handler, clock: Clock): Promise<Answer> {
  const controller = new AbortController();
  const untilMs = clock.monotonicMs() + TRIAL_MS;
  const sentBefore = call.trail.sent;
  // What it waits for before it is sent is bounded too. On the wire only its attempt's deadline ends it: that tells of
  // the service, while leaving would tell nothing.
  const leaveUnsent = () => {
    if (call.trail.sent === sentBefore) controller.abort();
  };
  const cancel = clock.after(2 * TRIAL_MS, leaveUnsent);
  const deadline = { remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) };
  const request = { ...call.request, attemptMs: TRIAL_MS };
  return next({ ...call, request, trial: true, unattended: true, signal: controller.signal, deadline }).finally(cancel);
}

/** Holds a call until there is a place for it, people's before background work, and tells the breaker how it ended. */
export function bulkhead({ service, groups }: Pick<BreakerOptions, 'service' | 'groups'>): Stage {
  const all = createSlots(() => AT_ONCE);
  return (next) => async (call) => {
    const group = groups.of(call.request);
    const leaveGroup = await group.slots.enter(call.signal, isBackground(call));
    try {
      const leave = await all.enter(call.signal, isBackground(call));
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
): Promise<Answer> {
  const settle = breaker.admit(call.trial);
  if (settle === null) throw unavailable(service, breaker.trialInMs);
  let outcome: Outcome = 'neutral';
  try {
    const answer = await next(call);
    outcome = 'success';
    return answer;
  } catch (error) {
    // Any other answer, a refusal included, shows that the service is there.
    if (isOutage(error)) outcome = 'failure';
    else if (call.trail.head !== null) outcome = 'success';
    throw error;
  } finally {
    settle(outcome);
    slots.refresh();
  }
}
