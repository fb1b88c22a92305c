import type { Sending } from './wire.js';

/**
 * How often one replica tries again, judged from the wire alone (reliability 2). What its budget allows bounds how much
 * an outage is made worse: three calls more in a second of failures, nine and a tenth of what succeeds in a minute.
 */
export interface RetryWatch {
  /** A call goes out that had failed before, and for which somebody has waited all the time since. */
  retried(sending: Sending): void;
  ended(sending: Sending): void;
  /** What is wrong with all retries together; null when nothing is. */
  verdict(): string | null;
}

const RESERVE = 3;
const PER_SUCCESS = 0.1;
const PER_MS = 1 / 10_000;
/** What sums of tenths may be off by. */
const ROUNDING = 1e-6;

export function watchRetries(): RetryWatch {
  /** What filled the budget and what emptied it. A retry is paid for when the attempt before it fails. */
  const changes: { readonly atMs: number; readonly tokens: number }[] = [];
  const failedMs = new Map<string, number>();

  return {
    retried(sending) {
      const decidedMs = failedMs.get(nameOf(sending));
      // One failure, one retry: whoever asks meanwhile for the same after a write begins anew.
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
