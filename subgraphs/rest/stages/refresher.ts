import type { WatchCache } from '../../../schema/caches.js';
import { CodedError } from '../../../schema/errors.js';
import type { Deadline } from '../../../schema/operation.js';
import type { StaleReason } from '../../../schema/trace.js';
import { createRefreshBackoff } from '../cache/refresh-backoff.js';
import type { Call, CallResponse, Handler } from '../call/call.js';
import { isOutage } from '../failures/outage.js';
import type { Clock } from '../ports/clock.js';
import type { Detach } from './trial.js';

/** A caller for whom there is a stale entry waits at most this long for a fresher one (reliability 5). */
const SOFT_MS = 1500;
/** How long a background refresh may take, including queueing. */
const REFRESH_MS = 30_000;

/** Refreshes stale cache entries, with or without a caller waiting for the result. */
export interface Refresher {
  /** Why a refresh that recently failed must not be retried yet; null when it may be. */
  heldBack(call: Call, lastSuccessMs: number): StaleReason | null;
  /** Refreshes in the background, one refresh at a time per entry, for at most 30 s. */
  inBackground(call: Call, next: Handler): void;
  /** The refreshed response, or why there is none within 1.5 s. A merely slow refresh goes on in the background. */
  inForeground(call: Call, next: Handler): Promise<CallResponse | StaleReason>;
}

/** Remembers which refreshes failed and which are in progress. */
export function createRefresher(clock: Clock, detach: Detach, watchCache?: WatchCache): Refresher {
  const backoff = createRefreshBackoff(clock, watchCache);
  const refreshing = new Set<string>();

  /** Remembers a failure, so that the next caller does not run into it at once. */
  async function refresh(call: Call, next: Handler): Promise<CallResponse | StaleReason> {
    try {
      const response = await next(call);
      backoff.succeeded(call.identity);
      return response;
    } catch (error) {
      const reason = excuse(error);
      // If a caller leaves before the retry, the first attempt has failed all the same.
      const failed = reason ?? excuse(call.trail.failure);
      if (failed !== null) backoff.failed(call.identity, failed);
      if (reason === null) throw error;
      return reason;
    }
  }

  function ownDeadline(): Deadline {
    const untilMs = clock.monotonicMs() + REFRESH_MS;
    return { remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) };
  }

  function inBackground(call: Call, next: Handler): void {
    if (refreshing.has(call.identity)) return;
    refreshing.add(call.identity);
    const deadline = ownDeadline();
    const { signal } = new AbortController();
    detach({ ...call, unattended: true, signal, deadline }, async (own) => {
      await refresh(own, next).finally(() => refreshing.delete(call.identity));
    });
  }

  function inForeground(call: Call, next: Handler): Promise<CallResponse | StaleReason> {
    const controller = new AbortController();
    const deadline = ownDeadline();
    return new Promise((resolve, reject) => {
      const stop = () => {
        cancel();
        call.signal.removeEventListener('abort', leave);
      };
      const leave = () => {
        stop();
        controller.abort(call.signal.reason);
      };
      const cancel = clock.after(Math.min(SOFT_MS, call.deadline.remainingMs()), () => {
        stop();
        resolve('SLOW');
      });
      call.signal.addEventListener('abort', leave, { once: true });
      refresh({ ...call, signal: controller.signal, deadline }, next)
        .then(resolve, reject)
        .finally(stop);
    });
  }

  return { heldBack: (call, lastSuccessMs) => backoff.holds(call.identity, lastSuccessMs), inBackground, inForeground };
}

/** Why a stale entry may be served instead of a failure; null when it may not. */
function excuse(error: unknown): StaleReason | null {
  if (isOutage(error)) return 'OUTAGE';
  return error instanceof CodedError && error.code === 'RATE_LIMITED' ? 'QUOTA' : null;
}
