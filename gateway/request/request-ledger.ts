import type { Ledger } from '../../schema/operation.js';
import type { Staleness, Trace, UpstreamCall } from '../../schema/trace.js';
import { worseStaleness } from './cache-status.js';

/** Calls shown in a trace, as many as a table can usefully show; later ones are only counted. */
const SHOWN_CALLS = 500;

/** The ledger of one request: the upstream calls that were made for it. */
export interface RequestLedger extends Ledger {
  readonly calls: readonly UpstreamCall[];
  readonly callsOmitted: number;
  /** The most serious of what was answered although it was no longer fresh; null when all is fresh. */
  readonly stale: Staleness | null;
  totals(): Trace['totals'];
}

/** Counts every call; keeps the rows when they will be shown. */
export function createRequestLedger(elapsedMs: () => number, keepCalls: boolean): RequestLedger {
  const calls: UpstreamCall[] = [];
  let callsOmitted = 0;
  let callsMade = 0;
  let savedByCache = 0;
  let savedBySharing = 0;
  let stale: Staleness | null = null;
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
      callsMade += call.sent ?? 0;
      if (call.cache === 'HIT' || call.cache === 'STALE') savedByCache += 1;
      if (call.cache === 'COALESCED') savedBySharing += 1;
      if (!keepCalls) return;
      if (calls.length < SHOWN_CALLS) calls.push(call);
      else callsOmitted += 1;
    },
    totals: () => ({ callsMade, savedByCache, savedBySharing }),
  };
}
