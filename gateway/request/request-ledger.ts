import type { Ledger } from '../../schema/operation.js';
import type { Staleness, Trace, UpstreamCall } from '../../schema/trace.js';
import { worseStaleness } from './cache-status.js';

/** Calls listed in a trace, as many as a table can usefully show; later ones are only counted. */
const MAX_LISTED_CALLS = 500;

/** The upstream calls made for one request. */
export interface RequestLedger extends Ledger {
  readonly calls: readonly UpstreamCall[];
  readonly callsOmitted: number;
  /** The most serious staleness of any value served; null if all are fresh. */
  readonly stale: Staleness | null;
  /** Until when all that was served stays fresh, in milliseconds since 1970; null if it may not be kept. */
  freshUntilMs(): number | null;
  /** Something was served that changes by itself. */
  mayNotBeKept(): void;
  totals(): Trace['totals'];
}

/** Creates an empty ledger. It counts every call, and lists them if `recordCalls`. */
export function createRequestLedger(elapsedMs: () => number, recordCalls: boolean): RequestLedger {
  const calls: UpstreamCall[] = [];
  let callsOmitted = 0;
  let callsMade = 0;
  let savedByCache = 0;
  let savedBySharing = 0;
  let stale: Staleness | null = null;
  let freshUntilMs = Number.POSITIVE_INFINITY;
  let mayBeKept = true;
  return {
    elapsedMs,
    calls,
    get callsOmitted() {
      return callsOmitted;
    },
    get stale() {
      return stale;
    },
    record(call) {
      if (call.stale !== undefined) stale = worseStaleness(stale, call.stale);
      if (call.freshMs === undefined) mayBeKept = false;
      else freshUntilMs = Math.min(freshUntilMs, Date.now() + call.freshMs);
      callsMade += call.sent ?? 0;
      if (call.cache === 'HIT' || call.cache === 'STALE') savedByCache += 1;
      if (call.cache === 'COALESCED') savedBySharing += 1;
      if (!recordCalls) return;
      if (calls.length < MAX_LISTED_CALLS) calls.push(call);
      else callsOmitted += 1;
    },
    // What follows from no call at all has no time of its own.
    freshUntilMs: () => (mayBeKept && Number.isFinite(freshUntilMs) ? freshUntilMs : null),
    mayNotBeKept() {
      mayBeKept = false;
    },
    totals: () => ({ callsMade, savedByCache, savedBySharing }),
  };
}
