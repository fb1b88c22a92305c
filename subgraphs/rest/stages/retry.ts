import { CodedError } from '../../../kernel/errors.js';
import type { Call, Stage } from '../call.js';
import { timedOut } from '../failures.js';
import { type Clock, sleep } from '../ports/clock.js';
import type { Random } from '../ports/ports.js';
import { readRetryAfter } from '../ports/response-headers.js';
import { TransportFailure } from '../ports/transport.js';
import { isWrite } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** The wait before a second attempt is random, between these two (reliability 2). */
const MIN_WAIT_MS = 100;
const MAX_WAIT_MS = 1000;
/** No retry when less than this share of the window is left. */
const QUOTA_SHARE = 0.2;
const COST = 1;
const COST_AFTER_TIMEOUT = 2;
/** A backend that its service gave up on only after so long hangs: the caller would wait as long again. */
const HANGING_MS = 3000;

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);
const TRANSIENT_FAILURES: ReadonlySet<string> = new Set(['refused', 'reset', 'cut']);

/**
 * Retries transient failures once: only reads, and only while the budget allows it. The budget is the whole
 * service's, so that hardly anything is tried twice when everything fails.
 */
export function retry({ clock, random, groups }: ServiceParts): Stage {
  const budget = new RetryBudget(clock);
  return (next) => async (call) => {
    const startMs = clock.monotonicMs() - call.trail.queuedMs;
    try {
      const response = await next(call);
      budget.succeeded();
      return response;
    } catch (failure) {
      // A late attempt has ended the whole call; so has one whose backend was late.
      if (call.signal.aborted) throw failure;
      const attemptMs = clock.monotonicMs() - call.trail.queuedMs - startMs;
      if (call.trail.head?.status === 504 && attemptMs > HANGING_MS) throw failure;
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
  if (operation.background === true || trail.sent === 0 || isWrite(request)) return false;
  // A query that is posted is repeated only where its connection was about to be closed, so that it was not read.
  if (request.method !== 'GET') return failure instanceof TransportFailure && failure.onReused;
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

/**
 * Sized for tens of calls a minute; libraries' budgets, for thousands a second, exceed the whole quota (reliability 2).
 */
const RESERVE = 3;
const PER_SUCCESS = 0.1;
const PER_MS = 1 / 10_000;

/** How many retries a service may still get, three at first: filled by successes and by time, emptied by retries. */
class RetryBudget {
  private readonly clock: Clock;
  private tokens = RESERVE;
  private atMs: number;

  constructor(clock: Clock) {
    this.clock = clock;
    this.atMs = clock.monotonicMs();
  }

  succeeded(): void {
    this.add(PER_SUCCESS);
  }

  /** Takes the cost of one retry; false if it cannot be afforded. */
  spend(cost: number): boolean {
    const nowMs = this.clock.monotonicMs();
    this.add((nowMs - this.atMs) * PER_MS);
    this.atMs = nowMs;
    if (this.tokens < cost) return false;
    this.tokens -= cost;
    return true;
  }

  private add(more: number): void {
    this.tokens = Math.min(RESERVE, this.tokens + more);
  }
}

/** Milliseconds for one attempt, unless the request says otherwise (reliability 4). */
const ATTEMPT_MS = 10_000;

/**
 * Ends an attempt that takes too long by closing its socket. That ends the whole call, because a late attempt is never
 * retried. The request's own deadline is watched where callers wait.
 */
export function attemptDeadline({ service, clock }: ServiceParts): Stage {
  return (next) => async (call) => {
    let late = false;
    const cancel = clock.after(call.request.attemptMs ?? ATTEMPT_MS, () => {
      late = true;
      call.stop();
    });
    try {
      return await next(call);
    } catch (error) {
      throw late ? timedOut(service) : error;
    } finally {
      cancel();
    }
  };
}
