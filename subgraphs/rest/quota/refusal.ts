import { CodedError } from '../../../schema/errors.js';
import { readReset, readRetryAfter } from '../headers/rate-headers.js';
import type { WireHead } from '../ports/transport.js';
import { GUARD_MS } from './account.js';
import type { QuotaScope } from './scope.js';

/** A service or its proxy refused a call because there were too many. */
export interface Refusal {
  /** Milliseconds until its window ends, and until it says to come back; null where it does not say. */
  readonly resetMs: number | null;
  readonly retryAfterMs: number | null;
}

/** A refusal that says nothing of a time blocks its scope this long, and twice as long each time that it is repeated. */
const UNTOLD_MS = 1000;
const LONGEST_MS = 60_000;

/** The refusal in an answer; null when it is none. A business limit on a write is no call quota (work-study 4.3). */
export function readRefusal(head: WireHead | null, failure: unknown): Refusal | null {
  if (head === null || (head.status !== 429 && head.status !== 419)) return null;
  if (failure instanceof CodedError && failure.code === 'BUSINESS_QUOTA') return null;
  return { resetMs: inMs(readReset(head.headers)), retryAfterMs: inMs(readRetryAfter(head.headers)) };
}

/** Which of a call's scopes a refusal is of: one that says nothing comes from a proxy, which counts the pace (work-study 4.2). */
export function refusedScope(scopes: readonly QuotaScope[], refusal: Refusal): QuotaScope | undefined {
  const says = refusal.resetMs !== null || refusal.retryAfterMs !== null;
  return scopes.find(({ kind }) => kind === (says ? 'window' : 'pace')) ?? scopes[0];
}

/**
 * Milliseconds for which every call of the scope waits. The waste platform's `retry-after` is always a whole window, so
 * an earlier reset is believed first; when that was wrong, `retry-after` is obeyed (waste 8).
 */
export function blockMs({ resetMs, retryAfterMs }: Refusal, refusalsInARow: number): number {
  const told = [resetMs, retryAfterMs].filter((ms) => ms !== null);
  if (told.length === 0) return Math.min(LONGEST_MS, UNTOLD_MS * 2 ** (refusalsInARow - 1)) + GUARD_MS;
  return (refusalsInARow === 1 ? Math.min(...told) : Math.max(...told)) + GUARD_MS;
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}
