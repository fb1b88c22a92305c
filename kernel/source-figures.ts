import { z } from 'zod';
import { SOURCE_STATES, UPSTREAM_MODES } from './services.js';
import { QUOTA_LEFT } from './trace.js';

/** Checks what another process tells of the state of its source. */
export const SOURCE_STATUS = z.object({
  state: z.enum(SOURCE_STATES),
  upstream: z.enum(UPSTREAM_MODES),
  /** In words, what is happening when the source is not simply up. */
  detail: z.string().exactOptional(),
});
/** State of a subgraph's source for `/readyz`. */
export type SourceStatus = Readonly<z.infer<typeof SOURCE_STATUS>>;

const SCOPE_QUOTA = QUOTA_LEFT.extend({
  /** The calls that the source counts together, such as `GET /job/v1/search`; never names the key. */
  scope: z.string(),
});
/** A quota as its source last reported it, counted down to now. */
export type ScopeQuota = Readonly<z.infer<typeof SCOPE_QUOTA>>;

const DRIFT_PLACE = z.object({ place: z.string(), count: z.number() });
/** How often a source sent a value that is not as documented in one place, such as `Mission.title`. */
export type DriftPlace = Readonly<z.infer<typeof DRIFT_PLACE>>;

/**
 * What is not as documented: the form of a value or response, which makes fields null with an error; a word that is in
 * no document; or a malformed code. Public data always contain some of the latter two, and both reach the caller.
 */
export type DriftKind = 'form' | 'word' | 'code';

const BREAKER_FIGURE = z.enum(['CLOSED', 'OPEN', 'HALF_OPEN']);
/** State of a source's circuit breakers: `HALF_OPEN` gradually lets calls through again. */
export type BreakerFigure = z.infer<typeof BREAKER_FIGURE>;

/** Checks what another process tells of the use of its source. What it lacks, or words otherwise, is unknown. */
export const SOURCE_FIGURES = z.object({
  /** The one of `quotas` with the smallest share left. */
  quota: SCOPE_QUOTA.nullable().catch(null),
  quotas: z.array(SCOPE_QUOTA).readonly().catch([]),
  /** The worst state among all routes. */
  breaker: BREAKER_FIGURE.nullable().catch(null),
  /** Share, from 0 to 1, of the last ten minutes' requests that were answered from the cache. */
  cacheHitRate: z.number().nullable().catch(null),
  /** Age in seconds of the oldest reference data served in the last ten minutes. */
  referenceAgeSeconds: z.number().nullable().catch(null),
  /** Values that were not as documented since the process started, of every kind. */
  drift: z.number().nullable().catch(null),
  /** The places with the most such values. */
  driftPlaces: z.array(DRIFT_PLACE).readonly().catch([]),
  /** Date that the source gives the export file in use; absent for sources without an export. */
  exportLoadedAt: z.string().nullable().exactOptional().catch(null),
  /** When the operator's key ends, in seconds since 1970; absent if it does not say. */
  keyEndsSeconds: z.number().optional().catch(undefined),
});
/**
 * What one process knows about the use of a source, besides its state; shown by the graph's `sources` and `/readyz`. Null
 * means not yet reported or counted, never zero. Quotas are those of one key; all else covers all callers.
 */
export type SourceFigures = Readonly<z.infer<typeof SOURCE_FIGURES>>;

/** The figures of a source about which nothing is known. */
export const NO_FIGURES: SourceFigures = SOURCE_FIGURES.parse({});
