import type { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { createLru } from '../../kernel/caches.js';

/** The guarded Redis client, as far as limits need it. */
export interface SharedStore {
  run<T>(commands: (redis: Redis) => Promise<T>): Promise<T>;
}

/** The result of taking points, whether or not they were granted. */
interface Taken {
  readonly isRefused: boolean;
  readonly consumed: number;
  readonly left: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

/** Points per minute, counted by all replicas that share a store. */
interface SharedLimiter {
  /** Counts points, even if they are refused. */
  consume(callerId: string, points: number): Promise<Taken>;
  /** Gives points back or, if negative, counts more of them. */
  giveBack(callerId: string, points: number): Promise<void>;
}

const WINDOW_SECONDS = 60;
/** Length of the window in milliseconds: it never ends later than this from now, unless the clock was set back. */
const WINDOW_MS = WINDOW_SECONDS * 1_000;

/**
 * Callers that one process counts by itself. The library evicts them only by time, and a network has more addresses
 * than fit into memory, so the caller not seen for longest starts anew.
 */
const MAX_COUNTED = 20_000;

/** Creates a limiter. Without a store, or while it is unreachable, each process counts by itself. */
export function createSharedLimiter(name: string, limit: number, store: SharedStore | null): SharedLimiter {
  const settings = { points: limit, duration: WINDOW_SECONDS, keyPrefix: `caller-${name}` };
  const memory = new RateLimiterMemory(settings);
  const counted = createLru<number>(MAX_COUNTED, { dispose: (_, callerId) => void memory.delete(callerId) });
  let shared: RateLimiterRedis | null = null;

  function count<T>(callerId: string, run: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> {
    if (counted.get(callerId) === undefined) counted.set(callerId, 1);
    return run(memory);
  }

  async function use<T>(callerId: string, run: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> {
    if (store === null) return count(callerId, run);
    try {
      return await store.run((redis) => {
        shared ??= new RateLimiterRedis({ ...settings, storeClient: redis });
        return run(shared);
      });
    } catch {
      return count(callerId, run);
    }
  }

  return {
    consume: (callerId, points) =>
      use(callerId, (limiter) =>
        limiter.consume(callerId, points).then(
          (result) => takenOf(result, false),
          (result: unknown) => {
            // A refusal is a result, not a failure of the store.
            if (result instanceof RateLimiterRes) return takenOf(result, true);
            throw result;
          },
        ),
      ),
    async giveBack(callerId, unused) {
      if (unused !== 0) {
        await use(callerId, (limiter) =>
          unused > 0 ? limiter.reward(callerId, unused) : limiter.penalty(callerId, -unused),
        );
      }
    },
  };
}

function takenOf({ consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes, isRefused: boolean): Taken {
  return { isRefused, consumed: consumedPoints, left: remainingPoints, msLeft: Math.min(msBeforeNext, WINDOW_MS) };
}

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

/** Response headers that report what is left (draft-ietf-httpapi-ratelimit-headers). */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Writes headers with all policies, and a caller's standing with those for which it is known. */
export function createLimitHeaders(
  policies: readonly Policy[],
): (standings: readonly (readonly [Policy, Standing])[]) => LimitHeaders {
  const stated = policies.map(({ name, limit }) => `"${name}";q=${limit};w=60`).join(', ');
  return (standings) => {
    let items = '';
    for (const [{ name }, { left, endsMs }] of standings) {
      items += `${items === '' ? '' : ', '}"${name}";r=${left};t=${secondsTo(endsMs)}`;
    }
    return { 'ratelimit-policy': stated, ratelimit: items };
  };
}

/** Whole seconds until a time since 1970, at least one. */
export function secondsTo(ms: number): number {
  return Math.max(1, Math.ceil((ms - Date.now()) / 1000));
}
