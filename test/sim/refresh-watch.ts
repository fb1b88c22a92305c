import type { Sending } from './wire.js';

/** Watches when a replica retries a failed refresh, judged from the wire alone (reliability 2 and 5). */
export interface RefreshWatch {
  /** What is wrong with sending this call now; null if nothing is. */
  sent(sending: Sending): string | null;
  ended(sending: Sending): void;
  /** A key has written, on any replica: all its cache entries are invalidated. */
  wrote(key: string): void;
}

interface Observed {
  /** When it last got a cacheable successful response; null if never. */
  cachedAtMs: number | null;
  failedAtMs: number | null;
  /** Calls since the failure that may have been retries. */
  since: number;
  namedMs: number;
}

/** Between these ages, an entry is certainly stale (a minute and a tenth) and certainly still served in an outage. */
const STALE_FROM_MS = 66_000;
const STALE_UNTIL_MS = 500_000;
const BACKOFF_MS = 10_000;
const SHORTEST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1_000;

export function watchRefreshes(): RefreshWatch {
  const paths = new Map<string, Observed>();
  let lastSuccess = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

  const observedOf = ({ path, key }: Sending) => {
    const known = paths.get(`${key} ${path}`) ?? { cachedAtMs: null, failedAtMs: null, since: 0, namedMs: 0 };
    paths.set(`${key} ${path}`, known);
    return known;
  };

  return {
    sent(sending) {
      const observed = observedOf(sending);
      if (observed.failedAtMs === null) return null;
      const waitedMs = sending.sentMs - observed.failedAtMs;
      observed.since += 1;
      const leastMs = observed.namedMs + SHORTEST_RETRY_MS;
      if (sending.path.includes('/once/') && waitedMs < leastMs - 1) {
        return `a retry after ${Math.round(waitedMs)} ms, not ${leastMs}`;
      }
      const ageMs = observed.cachedAtMs === null ? 0 : observed.failedAtMs - observed.cachedAtMs;
      const standsIn = ageMs > STALE_FROM_MS && ageMs < STALE_UNTIL_MS;
      const recovered = lastSuccess[sending.group]! > observed.failedAtMs;
      const perhapsRetry = observed.since === 1 && waitedMs <= observed.namedMs + LONGEST_RETRY_MS + 200;
      if (!standsIn || recovered || perhapsRetry || waitedMs >= BACKOFF_MS - 1) return null;
      return `requested again ${Math.round(waitedMs)} ms after it failed, while a stale entry may be served`;
    },
    ended(sending) {
      const observed = observedOf(sending);
      if (sending.end === 'answered' && sending.response?.status === 200) {
        // It may have failed, if there is a whole list that is stale.
        if (sending.response.isCut === true) return;
        if (sending.response.headers['cache-control'] === undefined) observed.cachedAtMs = sending.endedMs;
        observed.failedAtMs = null;
        lastSuccess = lastSuccess.map((ms, group) => (group === sending.group ? sending.endedMs! : ms));
        return;
      }
      // A doubtful key is held back by itself, and for seconds only (reliability 5).
      if (sending.end === 'left' || sending.response?.status === 401) return;
      observed.failedAtMs = sending.endedMs;
      observed.since = 0;
      observed.namedMs = 1000 * Number(sending.response?.headers['retry-after'] ?? 0);
    },
    wrote(key) {
      for (const [name, one] of paths) if (name.startsWith(`${key} `)) one.cachedAtMs = null;
    },
  };
}
