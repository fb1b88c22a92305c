import type { Sending } from './wire.js';

/**
 * Watches how often a replica retries, judged from the wire alone (reliability 2). Its budget bounds how much it adds
 * to an outage: three calls in a second of failures; in a minute, nine plus a tenth of the successes.
 */
export interface RetryWatch {
  /**
   * A call is sent again that had failed, and for which a caller has been waiting on the wire since `sinceMs`. Returns why
   * their failure must not be followed by another attempt; null if it may be.
   */
  retried(sending: Sending, sinceMs: number): string | null;
  ended(sending: Sending): void;
  /** What is wrong with the retries as a whole; null if nothing is. */
  verdict(): string | null;
}

const RESERVE = 3;
const PER_SUCCESS = 0.1;
const PER_MS = 1 / 10_000;
/** A 504 that came later is that of a backend that hangs. */
const HANGING_MS = 3_000;
/** Tolerance for sums of tenths. */
const ROUNDING = 1e-6;

export function watchRetries(): RetryWatch {
  /** Additions to and withdrawals from the budget. A retry is paid for when the attempt before it fails. */
  const changes: { readonly atMs: number; readonly tokens: number }[] = [];
  const failed = new Map<string, Sending>();

  return {
    retried(sending, sinceMs) {
      const before = failed.get(nameOf(sending));
      // One retry per failure: the same request after a write is a new one.
      failed.delete(nameOf(sending));
      if (before === undefined) return null;
      changes.push({ atMs: before.endedMs!, tokens: -1 });
      const isTheirs = sinceMs <= before.sentMs;
      const isHanging = isTheirs && before.response?.status === 504 && before.endedMs! - before.sentMs > HANGING_MS;
      return isHanging ? `a second wait after ${Math.round(before.endedMs! - before.sentMs)} ms` : null;
    },
    ended(sending) {
      if (sending.end === 'left') return;
      if (sending.end === 'answered' && sending.response?.status === 200) {
        changes.push({ atMs: sending.endedMs!, tokens: PER_SUCCESS });
      } else failed.set(nameOf(sending), sending);
    },
    verdict() {
      let tokens = RESERVE;
      let lastMs = 0;
      for (const change of changes.toSorted((a, b) => a.atMs - b.atMs || b.tokens - a.tokens)) {
        tokens = Math.min(RESERVE, tokens + (change.atMs - lastMs) * PER_MS);
        tokens = Math.min(RESERVE, tokens + change.tokens);
        lastMs = change.atMs;
        if (tokens < -ROUNDING) return `a retry at ${Math.round(lastMs)} ms that the budget could not afford`;
      }
      return null;
    },
  };
}

function nameOf({ key, path }: Sending): string {
  return `${key} ${path}`;
}
