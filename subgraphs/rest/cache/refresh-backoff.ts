import { createLru } from '../../../runtime/stores/lru.js';
import { unwatched, type WatchCache } from '../../../schema/caches.js';
import type { StaleReason } from '../../../schema/trace.js';
import type { Clock } from '../ports/clock.js';

/** After a failed refresh the next one waits this long, doubling with each further failure (reliability 5). */
const FIRST_MS = 10_000;
const MAX_PAUSE_MS = 5 * 60_000;
const MAX_ENTRIES = 10_000;
/** Bytes of heap for an entry with its key. */
const ENTRY_BYTES = 1000;

interface Failed {
  readonly times: number;
  readonly atMs: number;
  readonly untilMs: number;
  readonly reason: StaleReason;
}

/** Entries whose last refresh failed, so that a service that is down is not called for each of them. */
export interface RefreshBackoff {
  /** Why an entry must not be refreshed now; null if it may be, as after any later success of its routes. */
  holds(identity: string, lastSuccessMs: number): StaleReason | null;
  failed(identity: string, reason: StaleReason): void;
  succeeded(identity: string): void;
}

/** Failures of at most 10,000 entries: 10 s after the first one, doubling to 5 min. */
export function createRefreshBackoff(clock: Clock, watchCache: WatchCache = unwatched): RefreshBackoff {
  const entries = createLru<Failed>(MAX_ENTRIES);
  watchCache('failed-refreshes', () => ENTRY_BYTES * entries.size);
  return {
    holds(identity, lastSuccessMs) {
      const failed = entries.get(identity);
      if (failed === undefined || failed.atMs < lastSuccessMs || clock.monotonicMs() >= failed.untilMs) return null;
      return failed.reason;
    },
    failed(identity, reason) {
      const atMs = clock.monotonicMs();
      const times = (entries.get(identity)?.times ?? 0) + 1;
      const untilMs = atMs + Math.min(MAX_PAUSE_MS, FIRST_MS * 2 ** (times - 1));
      entries.set(identity, { times, atMs, untilMs, reason });
    },
    succeeded(identity) {
      entries.delete(identity);
    },
  };
}
