import type { QuotaLeft } from './trace.js';

/** A quota as its source last reported it, counted down to now. */
export interface ScopeQuota extends QuotaLeft {
  /** The calls that the source counts together, such as `GET /job/v1/search`; never names the key. */
  readonly scope: string;
}

/** How often a source sent a value that is not as documented in one place, such as `Mission.title`. */
export interface DriftPlace {
  readonly place: string;
  readonly count: number;
}

/**
 * What is not as documented: the form of a value or response, which makes fields null with an error; a word that is in
 * no document; or a malformed code. Public data always contain some of the latter two, and both reach the caller.
 */
export type DriftKind = 'form' | 'word' | 'code';

/** State of a source's circuit breakers: `HALF_OPEN` gradually lets calls through again. */
export type BreakerFigure = 'CLOSED' | 'OPEN' | 'HALF_OPEN';

/**
 * What one process knows about the use of a source, besides its state; shown by the graph's `sources` and `/readyz`.
 * Null means not yet reported or counted, never zero. Quotas are those of one key; all else covers all callers.
 */
export interface SourceFigures {
  /** The one of `quotas` with the smallest share left. */
  readonly quota: ScopeQuota | null;
  readonly quotas: readonly ScopeQuota[];
  /** The worst state among all routes. */
  readonly breaker: BreakerFigure | null;
  /** Share, from 0 to 1, of the last ten minutes' requests that were answered from the cache. */
  readonly cacheHitRate: number | null;
  /** Age in seconds of the oldest reference data served in the last ten minutes. */
  readonly referenceAgeSeconds: number | null;
  /** Values that were not as documented since the process started, of every kind. */
  readonly drift: number | null;
  /** The places with the most such values. */
  readonly driftPlaces: readonly DriftPlace[];
  /** Date that the source gives the export file in use; absent for sources without an export. */
  readonly exportLoadedAt?: string | null;
  /** When the operator's key ends, in seconds since 1970; absent if it does not say. */
  readonly keyEndsSeconds?: number;
}

/** The figures of a source about which nothing is known. */
export const NO_FIGURES: SourceFigures = {
  quota: null,
  quotas: [],
  breaker: null,
  cacheHitRate: null,
  referenceAgeSeconds: null,
  drift: null,
  driftPlaces: [],
};
