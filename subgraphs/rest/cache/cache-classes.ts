import type { CacheClass } from '../call/upstream.js';

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
