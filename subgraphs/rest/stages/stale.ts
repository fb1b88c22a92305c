import type { WatchCache } from '../../../schema/caches.js';
import type { StaleReason } from '../../../schema/trace.js';
import { isGoodUntil } from '../cache/freshness.js';
import type { CacheEntry, Call, CallResponse, Stage } from '../call/call.js';
import type { Clock } from '../ports/clock.js';
import type { RouteGroups } from '../resilience/route-groups.js';
import { createRefresher } from './refresher.js';
import type { Detach } from './trial.js';

interface StaleOptions {
  readonly clock: Clock;
  readonly groups: RouteGroups;
  readonly detach: Detach;
  readonly watchCache?: WatchCache | undefined;
}

/**
 * Serves stale entries, with their age and the reason: at once while they are being revalidated or recently failed to
 * refresh, after a short wait if the refresh is slow, and when it fails because of the service or the quota. A refused
 * key, a missing permission and an unknown id are valid responses, and are passed on.
 */
export function stale({ clock, groups, detach, watchCache }: StaleOptions): Stage {
  const refresher = createRefresher(clock, detach, watchCache);

  return (next) => async (call) => {
    const { entry } = call;
    if (entry === null || entry.response.cacheControl.mustRevalidate || clock.wallMs() >= entry.staleUntilMs)
      return next(call);
    const { breaker } = groups.of(call.request);
    const held = refresher.heldBack(call, breaker.lastSuccessMs);
    // A background refresh is the best trial.
    if (held !== null && breaker.state === 'open' && breaker.trialInMs === 0) refresher.inBackground(call, next);
    if (held !== null) return serveStale(call, entry, held);
    if (isGoodUntil(entry.revalidateUntilMs, entry.storedAtMs, clock.wallMs())) {
      refresher.inBackground(call, next);
      return serveStale(call, entry, 'REVALIDATING');
    }
    const refreshed = await refresher.inForeground(call, next);
    return typeof refreshed === 'string' ? serveStale(call, entry, refreshed) : refreshed;
  };

  function serveStale(
    { trail }: Call,
    { response, storedAtMs, freshUntilMs }: CacheEntry,
    reason: StaleReason,
  ): CallResponse {
    const nowMs = clock.wallMs();
    const secondsSince = (ms: number) => Math.max(0, Math.floor((nowMs - ms) / 1000));
    trail.cache = 'STALE';
    trail.storedAtMs = storedAtMs;
    trail.stale = { reason, ageSeconds: secondsSince(storedAtMs), staleSeconds: secondsSince(freshUntilMs) };
    return response;
  }
}
