import type { Sending } from './wire.js';

/**
 * Watches how often a replica retries, judged from the wire alone (reliability 2). Its budget bounds how much it adds
 * to an outage: three calls in a second of failures; in a minute, nine plus a tenth of the successes.
 */
export interface RetryWatch {
  /** A call is sent again that had failed, and for which a caller has been waiting since. */
  retried(sending: Sending): void;
  ended(sending: Sending): void;
  /** What is wrong with the retries as a whole; null if nothing is. */
  verdict(): string | null;
}

const RESERVE = 3;
const PER_SUCCESS = 0.1;
const PER_MS = 1 / 10_000;
/** Tolerance for sums of tenths. */
const ROUNDING = 1e-6;

export function watchRetries(): RetryWatch {
  /** Additions to and withdrawals from the budget. A retry is paid for when the attempt before it fails. */
  const changes: { readonly atMs: number; readonly tokens: number }[] = [];
  const failedMs = new Map<string, number>();

  return {
    retried(sending) {
      const decidedMs = failedMs.get(nameOf(sending));
      // One retry per failure: the same request after a write is a new one.
      failedMs.delete(nameOf(sending));
      if (decidedMs !== undefined) changes.push({ atMs: decidedMs, tokens: -1 });
    },
    ended(sending) {
      if (sending.end === 'left') return;
      if (sending.end === 'answered' && sending.response?.status === 200) {
        changes.push({ atMs: sending.endedMs!, tokens: PER_SUCCESS });
      } else failedMs.set(nameOf(sending), sending.endedMs!);
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
