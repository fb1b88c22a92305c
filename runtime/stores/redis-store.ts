import type { RedisGuard } from '../redis/redis-guard.js';
import type { TextStore } from './text-store.js';

/** Texts in Redis, stored as they are: Redis itself expires them. */
export function createRedisStore(redis: RedisGuard): TextStore {
  const keyOf = (key: string) => `passerelle:cache:${key}`;
  return {
    get: (key) =>
      redis
        .run((client) => client.get(keyOf(key)))
        .then(
          (text) => text ?? undefined,
          () => undefined,
        ),
    async set(key, text, ttlMs) {
      const ms = Math.max(1, Math.ceil(ttlMs));
      await redis.run((client) => client.set(keyOf(key), text, 'PX', ms)).catch(() => {});
    },
    async delete(key) {
      await redis.run((client) => client.del(keyOf(key))).catch(() => {});
    },
    close: async () => {},
  };
}
