/**
 * A run that uses only what is at hand: fresh cache entries and values derived from them. It never waits or sends
 * anything. When something is missing the run ends, and the request is executed in the general way.
 */
export interface AtHand {
  /** When it started, in milliseconds since 1970: what is fresh then counts as fresh until it ends. */
  readonly nowMs: number;
  /** Records the use of a part of the cache: counted when the run completes, discarded when it ends early. */
  recordUse(part: CachedPart): void;
  /** Looks something up for a loader: however often a run does so, each part counts as used once. */
  inLoader<T>(look: () => T): T;
  /** Ends the run: throws the signal for this reason, and remembers having done so. */
  giveUp(reason: WhyNot): never;
}

/** A part of the cache from which values and texts are derived: a cache entry, or an export. */
export interface CachedPart {
  /** Whether each use of it saves a call. */
  readonly isCall: boolean;
  /** Number of the last run that used it: loaders use a part once per run. */
  lastRun: number;
  /** Until when it is fresh, in milliseconds since 1970. */
  readonly freshUntilMs: number;
  /** Whether a look-up at this time (milliseconds since 1970) would find it again, and fresh. */
  isGood(nowMs: number): boolean;
  /** Counts a use at this time in metrics and figures, as a call answered from the cache. */
  countUse(nowMs: number): void;
}

/**
 * Why a run ended early. `missing`, `expired`: a cache entry was; `uncached`: memory alone cannot answer the call;
 * `waits`: a resolver returned a promise; `failed`: a resolver threw; `unfit`: a value is not of its type, or null
 * where that is not allowed; `long`: the run used up its turn of the event loop.
 */
export type WhyNot = 'missing' | 'expired' | 'uncached' | 'waits' | 'failed' | 'unfit' | 'long';

/** Ends a run that uses only what is at hand. Only the run itself catches it. */
export class NotAtHand extends Error {
  readonly reason: WhyNot;

  constructor(reason: WhyNot) {
    super(`A run without waiting ended: ${reason}.`);
    this.reason = reason;
  }
}

/** One per reason, created once: capturing a stack each time would cost more than the run. */
const SIGNALS = Object.fromEntries(
  (['missing', 'expired', 'uncached', 'waits', 'failed', 'unfit', 'long'] as const).map((reason) => [
    reason,
    new NotAtHand(reason),
  ]),
) as Readonly<Record<WhyNot, NotAtHand>>;

/** The signal that ends a run. */
export function notAtHand(reason: WhyNot): NotAtHand {
  return SIGNALS[reason];
}
