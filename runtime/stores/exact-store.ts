import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { CACHES, unwatched, type WatchCache } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import { isRecord } from '../../kernel/text.js';
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

/** Where the texts of a store are. */
interface Texts {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string, ttlMs: number): Promise<unknown>;
  /** Resolves with whether this call deleted the text. */
  delete(key: string): Promise<boolean>;
}

/** An exact store of these texts. */
export function createExactStore(texts: Texts, log: Log): ExactStore {
  const mayLog = atMostEvery(LOG_PAUSE_MS);

  function orUnavailable<T>(result: Promise<T>): Promise<T> {
    return result.catch((cause) => {
      if (mayLog()) log.error({ code: codeOf(cause) }, 'the session store cannot be used');
      throw new StoreUnavailable(cause);
    });
  }

  return {
    get: (key) => orUnavailable(texts.get(key)),
    async set(key, text, ttlMs) {
      await orUnavailable(texts.set(key, text, ttlMs));
    },
    async delete(key) {
      await orUnavailable(texts.delete(key));
    },
    async take(key) {
      const text = await orUnavailable(texts.get(key));
      return text !== undefined && (await orUnavailable(texts.delete(key))) ? text : undefined;
    },
  };
}

/** Texts in Redis, which expires them. They lie there in JSON and with their expiry, as earlier builds read them. */
export function createRedisTexts(redis: Redis): Texts {
  return {
    async get(key) {
      const stored: unknown = JSON.parse((await redis.get(key)) ?? 'null');
      return isRecord(stored) && typeof stored['value'] === 'string' ? stored['value'] : undefined;
    },
    set(key, value, ttlMs) {
      const stored = JSON.stringify({ value, expires: Date.now() + ttlMs });
      return redis.set(key, stored, 'PX', Math.max(1, Math.ceil(ttlMs)));
    },
    delete: async (key) => (await redis.del(key)) > 0,
  };
}

/** Heap of an entry beside its key and text. */
const ENTRY_BYTES = 300;
const MIN_ENTRY_BYTES = 1024;

/** Texts in the memory of this process. */
interface MemoryTexts extends Texts {
  /** Estimated heap of all entries, in bytes. */
  bytes(): number;
}

/**
 * Texts in the memory of this process, with at most `maxBytes` of heap: an entry counts as at least a kilobyte, and the
 * least recently used is evicted first.
 */
export function createMemoryTexts(maxBytes: number): MemoryTexts {
  const sizeCalculation = (text: string, key: string) =>
    Math.max(MIN_ENTRY_BYTES, 2 * (key.length + text.length) + ENTRY_BYTES);
  const entries = new LRUCache<string, string>({ maxSize: maxBytes, sizeCalculation });
  return {
    get: async (key) => entries.get(key),
    set: async (key, text, ttlMs) => entries.set(key, text, { ttl: Math.max(1, Math.ceil(ttlMs)) }),
    delete: async (key) => entries.delete(key),
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
  if (cache === null) {
    return {
      logins: openMemory('logins', log, watchCache),
      sessions: openMemory('sessions', log, watchCache),
      close: async () => {},
    };
  }
  const redis = connectRedis(cache, log);
  const shared = createExactStore(createRedisTexts(redis), log);
  return { logins: shared, sessions: shared, close: async () => redis.disconnect() };
}

function openMemory(name: 'logins' | 'sessions', log: Log, watchCache: WatchCache): ExactStore {
  const texts = createMemoryTexts(CACHES[name].boundBytes);
  watchCache(name, () => texts.bytes());
  return createExactStore(texts, log);
}
