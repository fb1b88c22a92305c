import { createLru } from '../../runtime/stores/lru.js';
import { createSharedLimiter, type SharedStore, WINDOW_MS } from './shared-limiter.js';

/** Where a caller stands with a policy. */
export interface Standing {
  readonly isRefused: boolean;
  /** Points left in the window. */
  readonly left: number;
  readonly endsMs: number;
}

/** A limit per minute on each caller. */
export interface Policy {
  readonly name: string;
  readonly limit: number;
  /** Takes a point that this process has set aside for the caller; null if it has to consult the shared count. */
  takeNow(callerId: string): Standing | null;
  take(callerId: string): Promise<Standing>;
  /** The standing of a caller that this process knows; null for any other. Takes nothing. */
  standing(callerId: string): Standing | null;
  /** Whether any caller was refused in a window that is not over yet. */
  hasRefused(): boolean;
  /** Takes several points at once, all or none. */
  reserve(callerId: string, points: number): Promise<Standing>;
  /** Gives back what was reserved and not used or, if negative, takes what was used beyond it. */
  settle(callerId: string, points: number): Promise<void>;
}

/** Callers with points set aside in this process. For one that was evicted, the shared count is consulted again. */
const MAX_CALLERS = 10_000;

interface Front {
  /** Points set aside here. */
  own: number;
  /** Points left for all replicas. */
  readonly shared: number;
  readonly endsMs: number;
}

/** Creates a policy, shared by the replicas of a store. */
export function createPolicy(name: string, limit: number, store: SharedStore | null): Policy {
  const limiter = createSharedLimiter(name, limit, store);
  const fronts = createLru<Front>(MAX_CALLERS);
  // A hundredth at a time: few requests wait for the store, and replicas differ only a little.
  const block = Math.max(1, Math.floor(limit / 100));
  let refusedUntilMs = 0;

  function refuse(front: Front): Standing {
    refusedUntilMs = Math.max(refusedUntilMs, front.endsMs);
    return standingOf(front, true);
  }

  function frontOf(callerId: string): Front | null {
    const front = fronts.get(callerId);
    if (front === undefined) return null;
    const msLeft = front.endsMs - Date.now();
    return msLeft > 0 && msLeft <= WINDOW_MS ? front : null;
  }

  return {
    ...{ name, limit },
    hasRefused: () => Date.now() < refusedUntilMs,
    standing(callerId) {
      const front = frontOf(callerId);
      return front === null ? null : standingOf(front, front.own + front.shared === 0);
    },
    takeNow(callerId) {
      const front = frontOf(callerId);
      if (front === null || (front.own === 0 && front.shared > 0)) return null;
      if (front.own === 0) return refuse(front);
      front.own -= 1;
      return standingOf(front, false);
    },
    async take(callerId) {
      const points = (frontOf(callerId)?.shared ?? limit) < block ? 1 : block;
      const { isRefused, left, msLeft } = await limiter.consume(callerId, points);
      const own = (frontOf(callerId)?.own ?? 0) + (isRefused ? 0 : points);
      const front = { own: Math.max(0, own - 1), shared: isRefused ? 0 : left, endsMs: Date.now() + msLeft };
      fronts.set(callerId, front);
      return own === 0 ? refuse(front) : standingOf(front, false);
    },
    async reserve(callerId, points) {
      const { isRefused, consumed, left, msLeft } = await limiter.consume(callerId, points);
      if (isRefused) await limiter.giveBack(callerId, points);
      const endsMs = Date.now() + msLeft;
      return { isRefused, left: isRefused ? Math.max(0, limit - consumed + points) : left, endsMs };
    },
    settle: (callerId, points) => limiter.giveBack(callerId, points),
  };
}

function standingOf({ own, shared, endsMs }: Front, isRefused: boolean): Standing {
  return { isRefused, left: own + shared, endsMs };
}
