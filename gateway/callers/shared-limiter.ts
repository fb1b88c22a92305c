import type { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { createLru } from '../../runtime/stores/lru.js';

/** The guarded Redis client, as far as limits need it. */
export interface SharedStore {
  run<T>(commands: (redis: Redis) => Promise<T>): Promise<T>;
}

/** The result of taking points, whether or not they were granted. */
export interface Taken {
  readonly isRefused: boolean;
  readonly consumed: number;
  readonly left: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

/** Points per minute, counted by all replicas that share a store. */
export interface SharedLimiter {
  /** Counts points, even if they are refused. */
  consume(callerId: string, points: number): Promise<Taken>;
  /** Gives points back or, if negative, counts more of them. */
  giveBack(callerId: string, points: number): Promise<void>;
}

const WINDOW_SECONDS = 60;
/** Length of the window in milliseconds: it never ends later than this from now, unless the clock was set back. */
export const WINDOW_MS = WINDOW_SECONDS * 1_000;

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
