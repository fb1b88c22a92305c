import type { CallResponse, Trail } from '../call/call.js';
import type { UpstreamRequest } from '../call/upstream.js';
import { CACHE_TIMES, FRESHNESS_JITTER } from './cache-classes.js';

/** Milliseconds for which a response stays fresh, at least: 0 for a stale one, null for what nobody may cache. */
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

/** Replicas' clocks differ by seconds, and what one of them has stored is fresh at the others too. */
const MAX_AHEAD_MS = 60_000;

/**
 * Whether what was stored then is good at a moment, being good until that time. What was stored in the future was there
 * before the clock was set back: nobody knows how old it is, and it is due for a read.
 */
export function isGoodUntil(untilMs: number, storedAtMs: number, nowMs: number): boolean {
  return nowMs < untilMs && storedAtMs - nowMs <= MAX_AHEAD_MS;
}
