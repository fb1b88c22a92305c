import { CodedError } from '../../../schema/errors.js';
import type { StaleReason } from '../../../schema/trace.js';
import type { Answer, CacheEntry, Call, Handler, Stage } from '../call.js';
import { isOutage } from '../outage.js';
import type { Clock } from '../ports/clock.js';
import { createRefreshBackoff } from '../refresh-backoff.js';
import type { RouteGroups } from '../route-groups.js';
import type { Detach } from './trial.js';

/** A caller with a stale entry at hand waits no longer than this for a fresher one (reliability 5). */
const SOFT_MS = 1500;
/** How long a background refresh may take, queueing included. */
const REFRESH_MS = 30_000;

export interface StaleOptions {
  readonly clock: Clock;
  readonly groups: RouteGroups;
  readonly detach: Detach;
}

/**
 * Serves stale entries, with their provenance: at once while they are being refreshed or could not be refreshed a
 * moment ago; after a short wait when renewing is slow; and when it fails because of the service or the quota. A
 * refusal, a right that is missing and an unknown id are news, and pass.
 */
export function stale({ clock, groups, detach }: StaleOptions): Stage {
  const backoff = createRefreshBackoff(clock);
  const renewing = new Set<string>();

  return (next) => async (call) => {
    const { entry } = call;
    if (entry === null || entry.answer.keeping.neverStale || clock.wallMs() >= entry.staleUntilMs) return next(call);
    const { breaker } = groups.of(call.request);
    const held = backoff.holds(call.identity, breaker.lastSuccessMs);
    // A trial that is due is best made by a background refresh.
    if (held !== null && breaker.state === 'open' && breaker.trialInMs === 0) renewBehind(call, next);
    if (held !== null) return serveStale(call, entry, held);
    if (clock.wallMs() < entry.revalidateUntilMs) {
      renewBehind(call, next);
      return serveStale(call, entry, 'REVALIDATING');
    }
    const renewed = await renewInTime(call, next);
    return typeof renewed === 'string' ? serveStale(call, entry, renewed) : renewed;
  };

  function serveStale({ trail }: Call, { answer, storedAtMs, freshUntilMs }: CacheEntry, reason: StaleReason): Answer {
    const nowMs = clock.wallMs();
    const secondsSince = (ms: number) => Math.max(0, Math.floor((nowMs - ms) / 1000));
    trail.cache = 'STALE';
    trail.storedAtMs = storedAtMs;
    trail.stale = { reason, ageSeconds: secondsSince(storedAtMs), staleSeconds: secondsSince(freshUntilMs) };
    return answer;
  }

  /** Refreshes the entry; remembers a failure, so that the next caller does not run into it at once. */
  async function renew(call: Call, next: Handler): Promise<Answer | StaleReason> {
    try {
      const answer = await next(call);
      backoff.succeeded(call.identity);
      return answer;
    } catch (error) {
      const reason = excuse(error);
      // Who leaves before it is tried once more leaves behind that it has failed.
      const failed = reason ?? excuse(call.trail.failure);
      if (failed !== null) backoff.failed(call.identity, failed);
      if (reason === null) throw error;
      return reason;
    }
  }

  function renewBehind(call: Call, next: Handler): void {
    if (renewing.has(call.identity)) return;
    renewing.add(call.identity);
    const untilMs = clock.monotonicMs() + REFRESH_MS;
    const deadline = { remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) };
    const { signal } = new AbortController();
    detach({ ...call, unattended: true, signal, deadline }, async (own) => {
      await renew(own, next).finally(() => renewing.delete(call.identity));
    });
  }

  /** The refreshed response; or why there is none in time. A merely slow refresh continues without its caller. */
  function renewInTime(call: Call, next: Handler): Promise<Answer | StaleReason> {
    const controller = new AbortController();
    const untilMs = clock.monotonicMs() + REFRESH_MS;
    const deadline = { remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) };
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
      renew({ ...call, signal: controller.signal, deadline }, next)
        .then(resolve, reject)
        .finally(stop);
    });
  }
}

/** Why a stale entry may be served in place of a failure; null when it may not. */
function excuse(error: unknown): StaleReason | null {
  if (isOutage(error)) return 'OUTAGE';
  return error instanceof CodedError && error.code === 'RATE_LIMITED' ? 'QUOTA' : null;
}
