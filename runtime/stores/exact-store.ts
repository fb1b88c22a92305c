import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { CACHES, unwatched, type WatchCache } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import type { Secret } from '../credentials/secret.js';
import { connectRedis } from './redis.js';

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

/** The store is unavailable. Log only the message of the cause, which may contain the whole command. */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super('The store cannot be reached.', { cause });
    this.name = 'StoreUnavailable';
  }
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
  cacheUrl: Secret | null,
  log: Log,
  watchCache: WatchCache = unwatched,
): SessionStores {
  if (cacheUrl === null) {
    const openMemory = (name: 'logins' | 'sessions') => {
      const store = createMemoryStore(CACHES[name].boundBytes);
      watchCache(name, () => store.bytes());
      return store;
    };
    return { logins: openMemory('logins'), sessions: openMemory('sessions'), close: async () => {} };
  }
  const redis = connectRedis(cacheUrl, log);
  const shared = createRedisStore(redis);
  return { logins: shared, sessions: shared, close: async () => redis.disconnect() };
}

/** Heap of an entry beside its key and text. */
const ENTRY_BYTES = 300;
const MIN_ENTRY_BYTES = 1024;

/** Texts in the memory of this process. */
interface MemoryStore extends ExactStore {
  /** Estimated heap of all entries, in bytes. */
  bytes(): number;
}

/**
 * An exact store in the memory of this process, with at most `maxBytes` of heap: an entry counts as at least a kilobyte,
 * and the least recently used is evicted first.
 */
export function createMemoryStore(maxBytes: number): MemoryStore {
  const sizeCalculation = (text: string, key: string) =>
    Math.max(MIN_ENTRY_BYTES, 2 * (key.length + text.length) + ENTRY_BYTES);
  const entries = new LRUCache<string, string>({ maxSize: maxBytes, sizeCalculation, ttlResolution: 0 });
  return {
    get: async (key) => entries.get(key),
    async set(key, text, ttlMs) {
      entries.set(key, text, { ttl: Math.max(1, ttlMs) });
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

/** Redis itself expires the entries. Their form is that of earlier versions, so that an update ends no session. */
function createRedisStore(redis: Redis): ExactStore {
  const keyOf = (key: string) => `passerelle:${key}`;
  const get = async (key: string) => textIn(await orUnavailable(redis.get(keyOf(key))));
  return {
    get,
    async set(key, value, ttlMs) {
      const entry = JSON.stringify({ value, expires: Date.now() + ttlMs });
      await orUnavailable(redis.set(keyOf(key), entry, 'PX', Math.max(1, Math.ceil(ttlMs))));
    },
    async delete(key) {
      await orUnavailable(redis.del(keyOf(key)));
    },
    async take(key) {
      const text = await get(key);
      // Who deletes the entry has taken it.
      return text !== undefined && (await orUnavailable(redis.del(keyOf(key)))) > 0 ? text : undefined;
    },
  };
}

function textIn(entry: string | null): string | undefined {
  const { value }: { value?: unknown } = entry === null ? {} : JSON.parse(entry);
  return typeof value === 'string' ? value : undefined;
}

function orUnavailable<T>(result: Promise<T>): Promise<T> {
  return result.catch((cause) => {
    throw new StoreUnavailable(cause);
  });
}
