import type { CallResponse, Trail } from '../call/call.js';
import type { UpstreamRequest } from '../call/upstream.js';
import { CACHE_TIMES, FRESHNESS_JITTER } from './cache-classes.js';

/** Milliseconds for which a response stays fresh, at least: 0 if it is stale, null if it must not be cached. */
export function freshnessOf(
  { cache: cacheClass }: UpstreamRequest<unknown>,
  { unknown, cacheControl }: CallResponse,
  { cache: outcome, freshMs }: Trail,
): number | null {
  if (outcome === 'HIT') return freshMs;
  if (outcome === 'STALE') return 0;
  if (cacheClass === 'never' || cacheControl.noStore) return null;
  if (cacheControl.noCache) return 0;
  return CACHE_TIMES[unknown ? 'unknown' : cacheClass].freshMs * (1 - FRESHNESS_JITTER);
}

/** Replicas' clocks differ by seconds, and an entry that one has stored is fresh for the others too. */
const MAX_AHEAD_MS = 60_000;

/**
 * Whether an entry stored at `storedAtMs` and fresh until `untilMs` is fresh at `nowMs`. An entry from the future was
 * stored before the clock was set back: its age is unknown, so it is due for a refresh.
 */
export function isGoodUntil(untilMs: number, storedAtMs: number, nowMs: number): boolean {
  return nowMs < untilMs && storedAtMs - nowMs <= MAX_AHEAD_MS;
}
