import type { StaleReason } from '../../../schema/trace.js';
import type { Answer, CacheEntry, Call, Stage } from '../call/call.js';
import type { Clock } from '../ports/clock.js';
import type { RouteGroups } from '../resilience/route-groups.js';
import { createRenewal } from './renewal.js';
import type { Detach } from './trial.js';

interface StaleOptions {
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
  const renewal = createRenewal(clock, detach);

  return (next) => async (call) => {
    const { entry } = call;
    if (entry === null || entry.answer.keeping.neverStale || clock.wallMs() >= entry.staleUntilMs) return next(call);
    const { breaker } = groups.of(call.request);
    const held = renewal.heldBack(call, breaker.lastSuccessMs);
    // A trial that is due is best made by a background refresh.
    if (held !== null && breaker.state === 'open' && breaker.trialInMs === 0) renewal.behind(call, next);
    if (held !== null) return serveStale(call, entry, held);
    if (clock.wallMs() < entry.revalidateUntilMs) {
      renewal.behind(call, next);
      return serveStale(call, entry, 'REVALIDATING');
    }
    const renewed = await renewal.inTime(call, next);
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
}
