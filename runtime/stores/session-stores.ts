import type { Log } from '../../schema/log.js';
import type { Secret } from '../credentials/secret.js';
import { connectRedis, createRedisAdapter } from '../redis/redis.js';
import { createExactStore, createMemoryAdapter, type ExactStore } from './exact-store.js';

/** The stores of logins and sessions. */
export interface SessionStores {
  /** Logins under way. */
  readonly logins: ExactStore;
  readonly sessions: ExactStore;
  close(): Promise<void>;
}

/** Anyone may start logins: some ten thousand are held in memory, and the oldest are dropped. */
const LOGIN_KILOBYTES = 16 * 1024;
/** Some fifty thousand sessions of three entries, with a person who logged in behind each. */
const SESSION_KILOBYTES = 128 * 1024;

/** Opens them in Redis, for all replicas, or in the memory of this process when there is no `CACHE_URL`. */
export function openSessionStores(cacheUrl: Secret | null, log: Log): SessionStores {
  if (cacheUrl === null) {
    return {
      logins: createExactStore(createMemoryAdapter(LOGIN_KILOBYTES)),
      sessions: createExactStore(createMemoryAdapter(SESSION_KILOBYTES)),
      close: async () => {},
    };
  }
  const redis = connectRedis(cacheUrl, log);
  const shared = createExactStore(createRedisAdapter(redis, 'passerelle:'));
  return { logins: shared, sessions: shared, close: async () => redis.disconnect() };
}
