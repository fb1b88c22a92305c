import type { CallRecorder } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import type { Staleness, Trace, UpstreamCall } from '../../kernel/trace.js';
import { worseStaleness } from './cache-status.js';

/** Calls listed in a trace, as many as a table can usefully show; later ones are only counted. */
const MAX_LISTED_CALLS = 500;

/** The upstream calls made for one request. */
export interface RequestRecorder extends CallRecorder {
  readonly calls: readonly UpstreamCall[];
  readonly callsOmitted: number;
  /** How many calls were needed, whether or not each had to be made. */
  readonly needed: number;
  /** The most serious staleness of any value served; null if all are fresh. */
  readonly stale: Staleness | null;
  /** Until when everything that was served stays fresh, in milliseconds since 1970; null if it may not be cached. */
  freshUntilMs(): number | null;
  /** Whether what was served stays valid while its calls are fresh, or for a while if there are none. */
  readonly isCacheable: boolean;
  /** The services that were needed, whether or not each call had to be made. */
  readonly services: ReadonlySet<ServiceName>;
  /** The services that were called with the caller's own key. */
  readonly tookKeyOf: ReadonlySet<ServiceName>;
  /** Calls the listener for every call from now on. */
  watch(listener: (call: UpstreamCall) => void): void;
  totals(): Trace['totals'];
}

/** Creates a recorder without calls. It counts every call, and lists them if `recordCalls`. */
export function createRequestRecorder(elapsedMs: () => number, recordCalls: boolean): RequestRecorder {
  const calls: UpstreamCall[] = [];
  let callsOmitted = 0;
  let needed = 0;
  let callsMade = 0;
  let savedByCache = 0;
  let savedBySharing = 0;
  let stale: Staleness | null = null;
  let freshUntilMs = Number.POSITIVE_INFINITY;
  let isCacheable = true;
  const services = new Set<ServiceName>();
  const tookKeyOf = new Set<ServiceName>();
  let listener: ((call: UpstreamCall) => void) | null = null;
  return {
    elapsedMs,
    calls,
    services,
    tookKeyOf,
    get callsOmitted() {
      return callsOmitted;
    },
    get needed() {
      return needed;
    },
    get isCacheable() {
      return isCacheable;
    },
    get stale() {
      return stale;
    },
    record(call) {
      listener?.(call);
      needed += 1;
      services.add(call.service);
      if (call.tookOwnKey === true) tookKeyOf.add(call.service);
      if (call.stale !== undefined) stale = worseStaleness(stale, call.stale);
      if (call.freshMs === undefined) isCacheable = false;
      else freshUntilMs = Math.min(freshUntilMs, Date.now() + call.freshMs);
      callsMade += call.sent ?? 0;
      if (call.cache === 'HIT' || call.cache === 'STALE') savedByCache += 1;
      if (call.cache === 'COALESCED') savedBySharing += 1;
      if (!recordCalls) return;
      if (calls.length < MAX_LISTED_CALLS) calls.push(call);
      else callsOmitted += 1;
    },
    // A response that needed no call has no expiry of its own.
    freshUntilMs: () => (isCacheable && Number.isFinite(freshUntilMs) ? freshUntilMs : null),
    watch(hear) {
      listener = hear;
    },
    forbidCaching() {
      isCacheable = false;
    },
    totals: () => ({ callsMade, savedByCache, savedBySharing }),
  };
}
