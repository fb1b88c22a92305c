import { CACHES, unwatched, type WatchCache } from '../../schema/caches.js';
import type { Log } from '../../schema/log.js';
import type { Secret } from '../credentials/secret.js';
import { connectRedis, createRedisAdapter } from '../redis/redis.js';
import { createExactStore, createMemoryAdapter, type ExactStore } from './exact-store.js';

/** The stores of logins and sessions. */
export interface SessionStores {
  /** Pending logins. */
  readonly logins: ExactStore;
  readonly sessions: ExactStore;
  close(): Promise<void>;
}

/**
 * Opens the stores in Redis, for all replicas, or without `CACHE_URL` in the memory of this process, which holds some
 * ten thousand logins, which anyone may start, and fifty thousand sessions of three entries.
 */
export function openSessionStores(
  cacheUrl: Secret | null,
  log: Log,
  watchCache: WatchCache = unwatched,
): SessionStores {
  if (cacheUrl === null) {
    return {
      logins: openMemory('logins', watchCache),
      sessions: openMemory('sessions', watchCache),
      close: async () => {},
    };
  }
  const redis = connectRedis(cacheUrl, log);
  const shared = createExactStore(createRedisAdapter(redis, 'passerelle:'));
  return { logins: shared, sessions: shared, close: async () => redis.disconnect() };
}

function openMemory(name: 'logins' | 'sessions', watchCache: WatchCache): ExactStore {
  const adapter = createMemoryAdapter(CACHES[name].boundBytes);
  watchCache(name, () => adapter.bytes());
  return createExactStore(adapter);
}
