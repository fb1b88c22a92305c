import type { Redis } from 'ioredis';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import { LRUCache } from 'lru-cache';
import { CACHES, unwatched, type WatchCache } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import { atMostEvery, codeOf, connectRedis, type SharedCache } from './redis.js';

/**
 * Texts for which best effort is not enough: logins and sessions. Unlike a cache, every call rejects with
 * `StoreUnavailable` if the store is unavailable.
 */
export interface ExactStore {
  get(key: string): Promise<string | undefined>;
  /** Stores a text for at most `ttlMs`. */
  set(key: string, text: string, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Returns a text and deletes it: of several simultaneous callers, only one gets it. */
  take(key: string): Promise<string | undefined>;
}

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
export function createExactStore(store: KeyvStoreAdapter, log: Log): ExactStore {
  const mayLog = atMostEvery(LOG_PAUSE_MS);

  function orUnavailable<T>(result: Promise<T>): Promise<T> {
    return result.catch((cause) => {
      if (mayLog()) log.error({ code: codeOf(cause) }, 'the session store cannot be used');
      throw new StoreUnavailable(cause);
    });
  }

  // Without `throwOnErrors` Keyv reports a failed write as a success.
  const keyv = new Keyv<string>({ store, useKeyPrefix: false, throwOnErrors: true, emitErrors: false });
  return {
    get: (key) => orUnavailable(keyv.get<string>(key)),
    async set(key, text, ttlMs) {
      await orUnavailable(keyv.set(key, text, ttlMs));
    },
    async delete(key) {
      await orUnavailable(keyv.delete(key));
    },
    async take(key) {
      const text = await orUnavailable(keyv.get<string>(key));
      return text !== undefined && (await orUnavailable(keyv.delete(key))) ? text : undefined;
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

/** Heap of an entry beside its key and text. */
const ENTRY_BYTES = 300;
const MIN_ENTRY_BYTES = 1024;

/** Texts in the memory of this process. */
export interface MemoryAdapter extends KeyvStoreAdapter {
  /** Estimated heap of all entries, in bytes. */
  bytes(): number;
}

/**
 * Keyv's adapter for the memory of this process, with at most `maxBytes` of heap: an entry counts as at least a
 * kilobyte, and the least recently used is evicted first.
 */
export function createMemoryAdapter(maxBytes: number): MemoryAdapter {
  const sizeCalculation = (text: string, key: string) =>
    Math.max(MIN_ENTRY_BYTES, 2 * (key.length + text.length) + ENTRY_BYTES);
  const entries = new LRUCache<string, string>({ maxSize: maxBytes, sizeCalculation });
  const adapter: MemoryAdapter = {
    opts: {},
    // Keyv casts what an adapter returns to the requested type, and reads it with its `deserialize`.
    get: async (key: string) => entries.get(key) as never,
    async set(key: string, value: string) {
      entries.set(key, value);
    },
    delete: async (key: string) => entries.delete(key),
    clear: async () => entries.clear(),
    on: () => adapter,
    bytes: () => entries.calculatedSize,
  };
  return adapter;
}

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
  cache: SharedCache | null,
  log: Log,
  watchCache: WatchCache = unwatched,
): SessionStores {
  if (cache === null) {
    return {
      logins: openMemory('logins', log, watchCache),
      sessions: openMemory('sessions', log, watchCache),
      close: async () => {},
    };
  }
  const redis = connectRedis(cache, log);
  const shared = createExactStore(createRedisAdapter(redis), log);
  return { logins: shared, sessions: shared, close: async () => redis.disconnect() };
}

function openMemory(name: 'logins' | 'sessions', log: Log, watchCache: WatchCache): ExactStore {
  const adapter = createMemoryAdapter(CACHES[name].boundBytes);
  watchCache(name, () => adapter.bytes());
  return createExactStore(adapter, log);
}
