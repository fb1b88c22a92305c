/**
 * A run that takes only what is at hand: fresh cache entries and what follows from them. It never waits and never sends
 * anything. What it cannot have ends it, and its request is answered in the general way.
 */
export interface AtHand {
  /** Records that a part of the cache was used: counted when the run is complete, discarded when it ends early. */
  recordUse(part: CachedPart): void;
  /** Looks something up for a loader: however often a run does that, it uses the same parts once. */
  inLoader<T>(look: () => T): T;
  /** Ends the run: throws the signal of this reason, and remembers that it did. */
  giveUp(reason: WhyNot): never;
}

/** A part of the cache, from which values and texts follow: a cache entry, or an export. */
export interface CachedPart {
  /** Whether using it is a call that was saved, each use of it one. */
  readonly isCall: boolean;
  /** The last run that used it, by its number: loaders use a part once in a run. */
  lastRun: number;
  /** Until when it is fresh, in milliseconds since 1970. */
  readonly freshUntilMs: number;
  /** Whether a look-up would find it again, and fresh, at this time since 1970. */
  isGood(nowMs: number): boolean;
  /** Counts its use at this time in metrics and figures, as a call that was answered from the cache. */
  countUse(nowMs: number): void;
}

/**
 * Why a run ended early. `missing`, `expired`: a cache entry is; `uncached`: the call is never answered from memory
 * alone; `waits`: a resolver gave a promise; `failed`: it threw; `unfit`: a value is not of its type, or null where
 * none may stand; `long`: it took its turn of the event loop.
 */
export type WhyNot = 'missing' | 'expired' | 'uncached' | 'waits' | 'failed' | 'unfit' | 'long';

/** Ends a run that takes only what is at hand. No code on the way handles it: the run itself does. */
export class NotAtHand extends Error {
  readonly reason: WhyNot;

  constructor(reason: WhyNot) {
    super(`A run without waiting ended: ${reason}.`);
    this.reason = reason;
  }
}

/** One for each reason, made once: a stack would cost more than the run. */
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
