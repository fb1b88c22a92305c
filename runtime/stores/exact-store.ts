import type { Redis } from 'ioredis';
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

/** A store in Redis, which expires its entries. */
export function createSharedStore(redis: Redis, log: Log): ExactStore {
  const mayLog = atMostEvery(LOG_PAUSE_MS);

  function orUnavailable<T>(result: Promise<T>): Promise<T> {
    return result.catch((cause) => {
      if (mayLog()) log.error({ code: codeOf(cause) }, 'the session store cannot be used');
      throw new StoreUnavailable(cause);
    });
  }

  const get = (key: string) => orUnavailable(redis.get(key).then(readEntry));
  const remove = (key: string) => orUnavailable(redis.del(key));
  return {
    get,
    async set(key, text, ttlMs) {
      const lifeMs = Math.max(1, Math.ceil(ttlMs));
      await orUnavailable(redis.set(key, entryOf(text, lifeMs), 'PX', lifeMs));
    },
    async delete(key) {
      await remove(key);
    },
    async take(key) {
      const text = await get(key);
      return text !== undefined && (await remove(key)) > 0 ? text : undefined;
    },
  };
}

/** An entry as earlier builds write it, which may run beside this one. */
function entryOf(value: string, lifeMs: number): string {
  return JSON.stringify({ value, expires: Date.now() + lifeMs });
}

function readEntry(entry: string | null): string | undefined {
  return entry === null ? undefined : (JSON.parse(entry) as { readonly value: string }).value;
}

/** Heap of an entry beside its key and text. */
const ENTRY_BYTES = 300;
const MIN_ENTRY_BYTES = 1024;

/** A store in the memory of this process. */
interface MemoryStore extends ExactStore {
  /** Estimated heap of all entries, in bytes. */
  bytes(): number;
}

/**
 * A store in the memory of this process, with at most `maxBytes` of heap: an entry counts as at least a kilobyte, and
 * the least recently used is evicted first.
 */
export function createMemoryStore(maxBytes: number): MemoryStore {
  const sizeCalculation = (text: string, key: string) =>
    Math.max(MIN_ENTRY_BYTES, 2 * (key.length + text.length) + ENTRY_BYTES);
  const entries = new LRUCache<string, string>({ maxSize: maxBytes, sizeCalculation });
  return {
    get: async (key) => entries.get(key),
    async set(key, text, ttlMs) {
      entries.set(key, text, { ttl: Math.max(1, Math.ceil(ttlMs)) });
    },
    async delete(key) {
      entries.delete(key);
    },
    async take(key) {
      const text = entries.get(key);
      entries.delete(key);
      return text;
    },
    bytes: () => entries.calculatedSize,
  };
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
  const inMemory = (name: 'logins' | 'sessions') => {
    const store = createMemoryStore(CACHES[name].boundBytes);
    watchCache(name, store.bytes);
    return store;
  };
  if (cache === null) return { logins: inMemory('logins'), sessions: inMemory('sessions'), close: async () => {} };
  const redis = connectRedis(cache, log);
  const shared = createSharedStore(redis, log);
  return { logins: shared, sessions: shared, close: async () => redis.disconnect() };
}
