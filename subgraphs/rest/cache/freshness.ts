import type { CallResponse, Trail } from '../call/call.js';
import type { CacheClass, UpstreamRequest } from '../call/upstream.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How long responses of a class are served, in milliseconds since they were fetched. */
export interface CacheTimes {
  /** Until then the entry is served as fresh. */
  readonly freshMs: number;
  /** Until then it is served at once and revalidated in the background; no effect when shorter than `freshMs`. */
  readonly revalidateMs: number;
  /** Stale-if-error: until then it may be served when the service is down; no effect when shorter than `freshMs`. */
  readonly staleMs: number;
}

/** The times of each class (architecture 6). `unknown` is for what a service does not have; `never` has no row. */
export const CACHE_TIMES = {
  reference: { freshMs: DAY_MS, revalidateMs: 2 * DAY_MS, staleMs: 7 * DAY_MS },
  search: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 10 * MINUTE_MS },
  unknown: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 0 },
} as const satisfies Record<Exclude<CacheClass, 'never'> | 'unknown', CacheTimes>;

/** Freshness ends up to a tenth sooner or later; otherwise entries fetched together would be refetched together. */
export const FRESHNESS_JITTER = 0.1;

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
