/**
 * A cached run executes an operation from memory alone, as HTTP's `only-if-cached` asks of a cache: from fresh cache
 * entries and from values derived from them. It never waits or sends anything.
 *
 * - What it makes **depends** on the entries that it read. Each is recorded as a `CacheDependency`: the text that the run
 *   makes is sent again without a run for as long as all of its dependencies are fresh, and each time counts as a hit of
 *   each of them.
 * - When something is missing the run **bails out**, as a just-in-time compiler's fast path does: it ends at once, by an
 *   error that only the run itself catches, and the operation is executed by graphql-js, which may wait.
 */
export interface CachedRun {
  /** When it started, in milliseconds since 1970: what is fresh then counts as fresh until it ends. */
  readonly nowMs: number;
  /** Records that the run depends on something: counted when it completes, discarded when it bails out. */
  recordUse(dependency: CacheDependency): void;
  /** Looks something up for a loader: however often a run does so, each dependency counts as used once. */
  inLoader<T>(look: () => T): T;
  /** Ends the run: throws the bailout for this reason, and remembers having done so. */
  bailOut(reason: BailoutReason): never;
}

/** Something cached that values and texts are derived from: a cache entry, or an export. */
export interface CacheDependency {
  /** Whether each use of it saves a call. */
  readonly isCall: boolean;
  /** Number of the last run that used it: loaders use it once per run. */
  lastRun: number;
  /** Until when it is fresh, in milliseconds since 1970. */
  readonly freshUntilMs: number;
  /** Whether a look-up at this time (milliseconds since 1970) would find it again, and fresh. */
  isFresh(nowMs: number): boolean;
  /** Counts a use at this time in metrics and figures, as a call answered from the cache. */
  countUse(nowMs: number): void;
}

/**
 * Why a run bailed out. `missing`, `expired`: a cache entry was; `uncached`: memory alone cannot answer the call;
 * `waits`: a resolver returned a promise; `failed`: a resolver threw; `unfit`: a value is not of its type, or null
 * where that is not allowed; `long`: the run used up its turn of the event loop.
 */
export type BailoutReason = 'missing' | 'expired' | 'uncached' | 'waits' | 'failed' | 'unfit' | 'long';

/** Ends a cached run. Only the run itself catches it. */
export class Bailout extends Error {
  readonly reason: BailoutReason;

  constructor(reason: BailoutReason) {
    super(`A cached run ended: ${reason}.`);
    this.reason = reason;
  }
}

/** One per reason, created once: capturing a stack each time would cost more than the run. */
const BAILOUTS = Object.fromEntries(
  (['missing', 'expired', 'uncached', 'waits', 'failed', 'unfit', 'long'] as const).map((reason) => [
    reason,
    new Bailout(reason),
  ]),
) as Readonly<Record<BailoutReason, Bailout>>;

/** The error that ends a run. */
export function bailout(reason: BailoutReason): Bailout {
  return BAILOUTS[reason];
}
