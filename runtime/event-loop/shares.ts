import { createLru } from '../stores/lru.js';

/** Milliseconds of long work that a caller may do at once beside others: less than a hundredth of five seconds. */
const BURST_MS = 40;

/** A caller's fraction of the time after that burst, while others send requests: so small that they hardly notice. */
const SHARE = 0.25;

/** Milliseconds by which a caller may overdraw: a piece of work cannot be interrupted. */
const MAX_OWED_MS = 20;

/** How many milliseconds after their last request a caller still counts as sending requests. */
const ASKING_MS = 100;

/** Callers whose time is tracked; one that was evicted starts afresh. */
const MAX_CALLERS = 10_000;

/** How the time of long work is shared between callers. */
export interface Shares {
  /** A caller has sent a request. */
  asks(caller: string): void;
  /** Records how many milliseconds a caller's work took. */
  spend(caller: string, ms: number): void;
  /** Whether a caller has time left, or no other caller is sending requests. */
  mayWork(caller: string): boolean;
}

/** Creates shares with nothing spent. */
export function createShares(now = () => performance.now()): Shares {
  const spentBy = createLru<{ readonly ms: number; readonly atMs: number }>(MAX_CALLERS);
  const nobody = { caller: '', atMs: Number.NEGATIVE_INFINITY };
  /** The caller of the last request, and the caller before them. */
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
