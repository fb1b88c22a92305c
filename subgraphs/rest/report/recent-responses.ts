import type { Clock } from '../ports/clock.js';

/** One response that a caller got. */
export interface ServedResponse {
  /** Whether it came from the cache, fresh or stale. */
  readonly isHit: boolean;
  /** When the service sent it, in milliseconds since 1970; null unless it is reference data. */
  readonly referenceMs: number | null;
}

/** Figures of the last ten minutes. */
export interface RecentResponses {
  note(response: ServedResponse): void;
  /** Share of responses, from 0 to 1, that came from the cache; null without any. */
  hitRate(): number | null;
  /** Seconds since the service sent the oldest reference response served; null when none was served. */
  referenceAgeSeconds(): number | null;
}

interface Minute {
  readonly number: number;
  requests: number;
  hits: number;
  oldestReferenceMs: number | null;
}

const MINUTE_MS = 60_000;
/** Long enough for steady figures at tens of calls a minute, short enough to show an outage. */
const MINUTES = 10;

/** Figures that start empty, counted by the minute of the monotonic clock. */
export function createRecentResponses(clock: Clock): RecentResponses {
  let minutes: Minute[] = [];

  function recent(): readonly Minute[] {
    const number = Math.floor(clock.monotonicMs() / MINUTE_MS);
    minutes = minutes.filter((minute) => minute.number > number - MINUTES);
    return minutes;
  }

  function thisMinute(): Minute {
    const number = Math.floor(clock.monotonicMs() / MINUTE_MS);
    const last = minutes.at(-1);
    if (last?.number === number) return last;
    recent();
    const minute = { number, requests: 0, hits: 0, oldestReferenceMs: null };
    minutes.push(minute);
    return minute;
  }

  return {
    note({ isHit, referenceMs }) {
      const minute = thisMinute();
      minute.requests += 1;
      if (isHit) minute.hits += 1;
      if (referenceMs !== null)
        minute.oldestReferenceMs = Math.min(minute.oldestReferenceMs ?? referenceMs, referenceMs);
    },
    hitRate() {
      const requests = sum(recent(), (minute) => minute.requests);
      return requests === 0 ? null : sum(minutes, (minute) => minute.hits) / requests;
    },
    referenceAgeSeconds() {
      const times = recent().flatMap(({ oldestReferenceMs }) => oldestReferenceMs ?? []);
      return times.length === 0 ? null : Math.max(0, Math.floor((clock.wallMs() - Math.min(...times)) / 1000));
    },
  };
}

function sum(minutes: readonly Minute[], figure: (minute: Minute) => number): number {
  return minutes.reduce((total, minute) => total + figure(minute), 0);
}
