import { CodedError } from '../../../schema/errors.js';
import type { WireHead } from '../ports/transport.js';
import { readReset, readRetryAfter } from './rate-headers.js';

/** A service or its proxy refused a call because there were too many of them. */
export interface Refusal {
  /** Milliseconds until its window ends, and until it says to retry; null where it does not say. */
  readonly resetMs: number | null;
  readonly retryAfterMs: number | null;
}

/** The refusal in a response; null if there is none. A business limit on a write is no call quota (work-study 4.3). */
export function readRefusal(head: WireHead | null, failure: unknown): Refusal | null {
  if (head === null || (head.status !== 429 && head.status !== 419)) return null;
  if (failure instanceof CodedError && failure.code === 'BUSINESS_QUOTA') return null;
  return { resetMs: inMs(readReset(head.headers)), retryAfterMs: inMs(readRetryAfter(head.headers)) };
}

function inMs(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}
