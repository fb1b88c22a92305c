import type { CacheClass } from '../call/upstream.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How long responses of a class serve, in milliseconds since they were fetched. */
export interface CacheTimes {
  /** Until then it is served as fresh. */
  readonly freshMs: number;
  /** Until then it is served at once and revalidated in the background; not at all when it is shorter. */
  readonly revalidateMs: number;
  /** Until then it may be served stale when the service is down; never when that is the shorter time. */
  readonly staleMs: number;
}

/** The times of each class (architecture 6). `unknown` is what a service does not have; `never` has no row. */
export const CACHE_TIMES = {
  reference: { freshMs: DAY_MS, revalidateMs: 2 * DAY_MS, staleMs: 7 * DAY_MS },
  search: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 10 * MINUTE_MS },
  unknown: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 0 },
} as const satisfies Record<Exclude<CacheClass, 'never'> | 'unknown', CacheTimes>;

/** Freshness ends a tenth sooner or later, or everything that was fetched together would be refetched together. */
export const FRESHNESS_JITTER = 0.1;
