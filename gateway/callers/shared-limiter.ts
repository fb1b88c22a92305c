import type { Redis } from 'ioredis';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** Redis behind its guard, as far as limits need it. */
export interface SharedStore {
  run<T>(commands: (redis: Redis) => Promise<T>): Promise<T>;
}

/** What was taken, or not. */
export interface Taken {
  readonly isRefused: boolean;
  readonly consumed: number;
  readonly left: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

/** Points a minute, counted by all replicas that share a store. */
export interface SharedLimiter {
  /** Counts points, also those that are refused. */
  consume(mark: string, points: number): Promise<Taken>;
  /** Gives points back, or counts more of them if negative. */
  giveBack(mark: string, points: number): Promise<void>;
}

const WINDOW_SECONDS = 60;

/** Creates a limiter. Without a store, and while it is away, each process counts by itself. */
export function createSharedLimiter(name: string, points: number, store: SharedStore | null): SharedLimiter {
  const settings = { points, duration: WINDOW_SECONDS, keyPrefix: `caller-${name}` };
  const memory = new RateLimiterMemory(settings);
  let shared: RateLimiterRedis | null = null;

  async function use<T>(run: (limiter: RateLimiterAbstract) => Promise<T>): Promise<T> {
    if (store === null) return run(memory);
    try {
      return await store.run((redis) => {
        shared ??= new RateLimiterRedis({ ...settings, storeClient: redis });
        return run(shared);
      });
    } catch {
      return run(memory);
    }
  }

  return {
    consume: (mark, count) =>
      use((limiter) =>
        limiter.consume(mark, count).then(
          (result) => takenOf(result, false),
          (result: unknown) => {
            // A refusal is a result, not a failure of the store.
            if (result instanceof RateLimiterRes) return takenOf(result, true);
            throw result;
          },
        ),
      ),
    async giveBack(mark, count) {
      if (count !== 0) {
        await use((limiter) => (count > 0 ? limiter.reward(mark, count) : limiter.penalty(mark, -count)));
      }
    },
  };
}

function takenOf({ consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes, isRefused: boolean): Taken {
  return { isRefused, consumed: consumedPoints, left: remainingPoints, msLeft: msBeforeNext };
}
