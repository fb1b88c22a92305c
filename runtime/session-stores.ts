import type { Log } from '../schema/log.js';
import { createExactStore, createMemoryAdapter, type ExactStore } from './exact-store.js';
import { connectRedis, createRedisAdapter } from './redis.js';
import type { Secret } from './secret.js';

/** Where logins and sessions are kept. */
export interface SessionStores {
  /** Logins under way. */
  readonly logins: ExactStore;
  readonly sessions: ExactStore;
  close(): Promise<void>;
}

/** Anybody may begin logins: so many are kept in memory, about ten megabytes, and the oldest give way. */
const LOGINS_IN_MEMORY = 10_000;
/** Each session has three entries, and a person who logged in behind it. */
const SESSIONS_IN_MEMORY = 300_000;

/** Opens them in Redis, for all replicas, or in the memory of this process when there is no `CACHE_URL`. */
export function openSessionStores(cacheUrl: Secret | null, log: Log): SessionStores {
  if (cacheUrl === null) {
    return {
      logins: createExactStore(createMemoryAdapter(LOGINS_IN_MEMORY)),
      sessions: createExactStore(createMemoryAdapter(SESSIONS_IN_MEMORY)),
      close: async () => {},
    };
  }
  const redis = connectRedis(cacheUrl, log);
  const shared = createExactStore(createRedisAdapter(redis, 'passerelle:'));
  return { logins: shared, sessions: shared, close: async () => redis.disconnect() };
}
