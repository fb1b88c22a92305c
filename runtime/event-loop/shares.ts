import { createLru } from '../stores/lru.js';

/** Milliseconds of long work that a caller may do at once beside others. A hundredth of five seconds is hardly more. */
const BURST_MS = 40;

/** What a caller gets of the time from then on, while others ask: as little as the others hardly feel. */
const SHARE = 0.25;

/** Milliseconds of its time that a caller may owe: a piece of work takes as long as it takes. */
const MAX_OWED_MS = 20;

/** For so many milliseconds after their last request a caller counts as one who asks. */
const ASKING_MS = 100;

/** Callers whose time is known; who is forgotten begins anew. */
const MAX_CALLERS = 10_000;

/** How the time of long work is shared between callers. */
export interface Shares {
  /** A caller has sent a request. */
  asks(caller: string): void;
  /** A caller's work took so many milliseconds. */
  spend(caller: string, ms: number): void;
  /** Whether a caller has time left, or nobody else asks. */
  mayWork(caller: string): boolean;
}

/** Creates shares of which nothing is spent. */
export function createShares(now = () => performance.now()): Shares {
  const spentBy = createLru<{ readonly ms: number; readonly atMs: number }>(MAX_CALLERS);
  const nobody = { caller: '', atMs: Number.NEGATIVE_INFINITY };
  /** The caller who asked last, and the one before them. */
  let [last, before] = [nobody, nobody];

  function spentMs(caller: string): number {
    const spent = spentBy.get(caller);
    return spent === undefined ? 0 : Math.max(0, spent.ms - SHARE * (now() - spent.atMs));
  }

  return {
    asks(caller) {
      if (caller !== last.caller) before = last;
      last = { caller, atMs: now() };
    },
    spend(caller, ms) {
      spentBy.set(caller, { ms: Math.min(spentMs(caller) + ms, BURST_MS + MAX_OWED_MS), atMs: now() });
    },
    mayWork(caller) {
      if (spentMs(caller) < BURST_MS) return true;
      const other = caller === last.caller ? before : last;
      return now() - other.atMs > ASKING_MS;
    },
  };
}
