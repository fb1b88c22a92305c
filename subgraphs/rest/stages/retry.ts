import { CodedError } from '../../../schema/errors.js';
import type { Call, Stage } from '../call/call.js';
import { readRetryAfter } from '../headers/rate-headers.js';
import { type Clock, sleep } from '../ports/clock.js';
import type { Random } from '../ports/ports.js';
import { TransportFailure } from '../ports/transport.js';
import { createRetryBudget } from '../resilience/retry-budget.js';
import type { RouteGroups } from '../resilience/route-groups.js';

interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly groups: RouteGroups;
}

/** The wait before a second attempt is random, between these two (reliability 2). */
const MIN_WAIT_MS = 100;
const MAX_WAIT_MS = 1000;
/** No retry when less than this share of the window is left. */
const QUOTA_SHARE = 0.2;
const COST = 1;
const COST_AFTER_TIMEOUT = 2;

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
const TRANSIENT_FAILURES: ReadonlySet<string> = new Set(['refused', 'reset', 'cut']);

/**
 * Retries transient failures once: only GET requests, and only while the budget allows it. The budget is the whole
 * service's, so that hardly anything is tried twice when everything fails.
 */
export function retry({ clock, random, groups }: RetryOptions): Stage {
  const budget = createRetryBudget(clock);
  return (next) => async (call) => {
    try {
      const response = await next(call);
      budget.succeeded();
      return response;
    } catch (failure) {
      // A late attempt has ended the whole call.
      if (call.signal.aborted) throw failure;
      if (!isTransient(call, failure) || groups.of(call.request).breaker.state !== 'closed') throw failure;
      const waitMs = waitOf(call, random);
      if (waitMs >= call.deadline.remainingMs()) throw failure;
      if (!budget.spend(call.trail.head?.status === 504 ? COST_AFTER_TIMEOUT : COST)) throw failure;
      call.trail.failure = failure;
      await sleep(waitMs, clock, call.signal);
      return next(call);
    }
  };
}

function isTransient({ request, operation, trail }: Call, failure: unknown): boolean {
  if (request.method !== 'GET' || operation.background === true || trail.sent === 0) return false;
  if (trail.left < QUOTA_SHARE) return false;
  if (trail.head !== null) return failure instanceof CodedError && TRANSIENT_STATUSES.has(trail.head.status);
  return failure instanceof TransportFailure && TRANSIENT_FAILURES.has(failure.kind);
}

/** A random wait in milliseconds between the shortest and the longest, added to any time that the service names. */
function waitOf({ trail }: Call, random: Random): number {
  const jitterMs = MIN_WAIT_MS + random() * (MAX_WAIT_MS - MIN_WAIT_MS);
  const namedMs = trail.head === null ? null : readRetryAfter(trail.head.headers);
  return jitterMs + (namedMs ?? 0) * 1000;
}
