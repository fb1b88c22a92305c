import type { QuotaLeft } from './trace.js';

/** A quota as its source last reported it, counted down to now. */
export interface ScopeQuota extends QuotaLeft {
  /** The calls that the source counts together, such as `GET /job/v1/search`; never whose key. */
  readonly scope: string;
}

/** How often a source sent a value that is not as documented, at one place such as `Mission.title`. */
export interface DriftPlace {
  readonly place: string;
  readonly count: number;
}

/**
 * What is not as documented: the form of a value or response, which makes fields null with an error; a word that no
 * document has; or a malformed code. Public data always has some of the latter two, and both reach the caller.
 */
export type DriftKind = 'form' | 'word' | 'code';

/** State of a source's breakers: `HALF_OPEN` lets calls through again little by little. */
export type BreakerFigure = 'CLOSED' | 'OPEN' | 'HALF_OPEN';

/**
 * What one process knows of how a source is used, beside its state: the graph's `sources` and `/readyz` show it. Null
 * means not yet reported or counted, never zero. Quotas are those of one key; all else is of all callers together.
 */
export interface SourceFigures {
  /** The one of `quotas` of which the smallest share is left. */
  readonly quota: ScopeQuota | null;
  readonly quotas: readonly ScopeQuota[];
  /** The worst of all routes. */
  readonly breaker: BreakerFigure | null;
  /** Share, from 0 to 1, of the last ten minutes' requests that were answered from the cache. */
  readonly cacheHitRate: number | null;
  /** Age in seconds of the oldest reference data served in the last ten minutes. */
  readonly referenceAgeSeconds: number | null;
  /** Values that were not as documented since the process started, of every kind. */
  readonly drift: number | null;
  /** The places with most of them. */
  readonly driftPlaces: readonly DriftPlace[];
  /** Date that the source gives its export, of the file that is in use; absent where there is no such thing. */
  readonly exportLoadedAt?: string | null;
}

/** Of a source of which nothing is known. */
export const NO_FIGURES: SourceFigures = {
  quota: null,
  quotas: [],
  breaker: null,
  cacheHitRate: null,
  referenceAgeSeconds: null,
  drift: null,
  driftPlaces: [],
};
