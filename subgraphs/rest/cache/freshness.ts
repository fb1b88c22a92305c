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
