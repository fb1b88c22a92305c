import type { Redis } from 'ioredis';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { LRUCache } from 'lru-cache';
import { createCache, unwatched, type WatchCache } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import { atMostEvery, codeOf, connectRedis, type SharedCache } from './redis.js';

/**
 * Texts for which best effort is not enough: logins and sessions. Unlike a cache, every call rejects with
 * `StoreUnavailable` if the store is unavailable.
 */
export type ExactStore = ReturnType<typeof createExactStore>;

/** The store is unavailable. Its cause is not logged: it may contain the whole command. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('The store cannot be reached.', { cause });
    this.name = 'StoreUnavailable';
  }
}

/** A store that is away fails every request with a session, which is logged once a minute. */
const LOG_PAUSE_MS = 60_000;

/** An exact store over one of Keyv's adapters, whose `delete` must say whether this call deleted the entry. */
export function createExactStore(store: KeyvStoreAdapter | ReturnType<typeof createMemoryAdapter>, log: Log) {
  const mayLog = atMostEvery(LOG_PAUSE_MS);

  function orUnavailable<T>(result: Promise<T>): Promise<T> {
    return result.catch((cause) => {
      if (mayLog()) log.error({ code: codeOf(cause) }, 'the session store cannot be used');
      throw new StoreUnavailable(cause);
    });
  }

  // Without `throwOnErrors` Keyv reports a failed write as a success.
  const keyv = new Keyv<string>({ store, useKeyPrefix: false, throwOnErrors: true, emitErrors: false });
  const get = (key: string) => orUnavailable(keyv.get<string>(key));
  const remove = (key: string) => orUnavailable(keyv.delete(key));
  return {
    get,
    /** Stores a text for at most `ttlMs`. */
    set: (key: string, text: string, ttlMs: number): Promise<unknown> => orUnavailable(keyv.set(key, text, ttlMs)),
    delete: remove,
    /** Returns a text and deletes it: of several simultaneous callers, only one gets it. */
    async take(key: string) {
      const text = await get(key);
      return text !== undefined && (await remove(key)) ? text : undefined;
    },
  };
}

/** Keyv's adapter for Redis: entries expire in Redis, and `delete` says whether this call deleted the entry. */
export function createRedisAdapter(redis: Redis): KeyvStoreAdapter {
  const adapter: KeyvStoreAdapter = {
    opts: {},
    // Keyv casts what an adapter returns to the requested type, and reads it with its `deserialize`.
    get: async (key: string) => ((await redis.get(key)) ?? undefined) as never,
    async set(key: string, value: string, ttlMs?: number) {
      if (ttlMs === undefined) await redis.set(key, value);
      else await redis.set(key, value, 'PX', Math.max(1, Math.ceil(ttlMs)));
    },
    delete: async (key: string) => (await redis.del(key)) > 0,
    clear: () => Promise.reject(new Error('What replicas share is not cleared by one of them.')),
    on: () => adapter,
  };
  return adapter;
}

/** Keyv's adapter for a cache of this process. Keyv itself heeds the time of a text. */
export function createMemoryAdapter(cache: LRUCache<string, string>) {
  return {
    get: (key: string) => cache.get(key),
    set: (key: string, text: string) => void cache.set(key, text),
    delete: (key: string) => cache.delete(key),
    clear: () => cache.clear(),
  };
}

/** Heap of an entry beside its key and text. */
const ENTRY_BYTES = 300;
const MIN_ENTRY_BYTES = 1024;

/** Estimated heap of an entry, in bytes. */
export function entryBytes(text: string, key: string): number {
  return Math.max(MIN_ENTRY_BYTES, 2 * (key.length + text.length) + ENTRY_BYTES);
}

/** The stores of pending logins and of sessions. */
export type SessionStores = ReturnType<typeof openSessionStores>;

/**
 * Opens the stores in Redis, for all replicas, or without `CACHE_URL` in the memory of this process, which holds some
 * ten thousand logins, which anyone may start, and fifty thousand sessions of three entries.
 */
export function openSessionStores(cache: SharedCache | null, log: Log, watchCache: WatchCache = unwatched) {
  if (cache === null) {
    const open = (name: 'logins' | 'sessions') =>
      createExactStore(createMemoryAdapter(createCache(name, watchCache, { sizeCalculation: entryBytes })), log);
    return { logins: open('logins'), sessions: open('sessions'), close: async () => {} };
  }
  const redis = connectRedis(cache, log);
  const shared = createExactStore(createRedisAdapter(redis), log);
  return { logins: shared, sessions: shared, close: async () => redis.disconnect() };
}
