import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { openEntries } from '../../database/entries.js';
import type { Log } from '../../kernel/log.js';
import { equalInConstantTime } from '../credentials/secret.js';
import { atMostEvery, codeOf, connectRedis, LOSABLE, reportUnfit, type SharedCache } from './redis.js';

/**
 * Texts that outlive a process or are shared by several: in a database file, or in Redis. All calls are best effort: a store that is
 * down or damaged returns undefined and stores nothing; it never fails a request, and never holds one up for long.
 */
export interface TextStore {
  /** The text stored under a key; undefined if it is absent, expired or cannot be read quickly. */
  get(key: string): Promise<string | undefined>;
  /** Stores a text for at most `ttlMs`. */
  set(key: string, text: string, ttlMs: number): Promise<void>;
}

/** 12 hex digits that separate what is stored for different addresses of a service, without naming the addresses. */
export function addressHash(baseUrl: string): string {
  return createHash('sha256').update(baseUrl).digest('hex').slice(0, 12);
}

/** Refusals are logged once a minute: a full server refuses every write. */
const REFUSED_PAUSE_MS = 60_000;

/** Texts in Redis, stored as they are: Redis itself expires them. */
export function createRedisStore(redis: Redis, log: Log): TextStore {
  const keyOf = (key: string) => `cache:${key}`;
  const mayLog = atMostEvery(REFUSED_PAUSE_MS);
  const lost = (error: Error) => {
    // The server itself said so: ioredis gives such errors this name.
    if (error.name === 'ReplyError' && mayLog()) log.warn({ code: codeOf(error) }, 'Redis refuses commands');
    return undefined;
  };
  return {
    get: (key) => redis.get(keyOf(key)).then((text) => text ?? undefined, lost),
    async set(key, text, ttlMs) {
      await redis.set(keyOf(key), text, 'PX', Math.max(1, Math.ceil(ttlMs))).catch(lost);
    },
  };
}

/** The keys of marks: the first writes, all verify, so that a secret can be rotated. */
export type MarkKeys = readonly [Buffer, ...Buffer[]];

/** Characters of a mark: HMAC-SHA256 in base64url. */
const MARK_LENGTH = 43;

/**
 * A store whose texts are believed only with the mark of somebody who has a key: `<mark> <text>`, a digest over the
 * text and its place, so that a text is worth nothing in another. One without a mark, or with a wrong one, is absent.
 */
function createMarkedStore(store: TextStore, keys: MarkKeys): TextStore {
  const markOf = (markKey: Buffer, key: string, text: string) =>
    createHmac('sha256', markKey).update(`${key}\n`).update(text).digest('base64url');

  return {
    async get(key) {
      const stored = await store.get(key);
      if (stored === undefined) return undefined;
      const mark = stored.slice(0, MARK_LENGTH);
      const text = stored.slice(MARK_LENGTH + 1);
      return keys.some((one) => equalInConstantTime(mark, markOf(one, key, text))) ? text : undefined;
    },
    set: (key, text, ttlMs) => store.set(key, `${markOf(keys[0], key, text)} ${text}`, ttlMs),
  };
}

/** Where cache entries are stored beyond the memory of this process. */
export interface Stores {
  /** For entries that all callers share. */
  readonly shared: TextStore | null;
  /** For entries that belong to one key: never on disk. */
  readonly perKey: TextStore | null;
  /**
   * For the versions of keys' last writes, without marks: earlier builds write them too, and to miss one would mean to
   * serve what was true before the write. Null if this process is the only one.
   */
  readonly versions: TextStore | null;
  /** The Redis that replicas share; null if this process is the only one. */
  readonly redis: Redis | null;
  /**
   * Resolves once Redis is reachable or known to be away, after `FIRST_CONTACT_MS` at the latest: what a process does
   * before its first contact, it counts separately from the others (reliability 8.3).
   */
  firstContact(): Promise<void>;
  close(): Promise<void>;
}

/** How long a starting process waits for Redis. */
const FIRST_CONTACT_MS = 2_000;

/** Where cache entries outlive the process; with both places null, they are in its memory alone. */
interface StoreOptions {
  /** Redis; null for memory alone. */
  readonly cache: SharedCache | null;
  /** Folder that survives a restart; null for none. Unused with Redis, which survives a restart as well. */
  readonly cacheDir: string | null;
  /** By which entries in Redis are believed; equal for all processes that share them. */
  readonly markKeys: MarkKeys;
  readonly log: Log;
}

/** Opens the configured stores. A store that cannot be used is only reported in the log. */
export function openStores({ cache, cacheDir, markKeys, log }: StoreOptions): Stores {
  if (cache !== null) return openShared(cache, markKeys, log);
  const shared = cacheDir === null ? null : openEntries(cacheDir, log);
  const close = async () => shared?.close();
  return { shared, perKey: null, versions: null, redis: null, firstContact: async () => {}, close };
}

function openShared(cache: SharedCache, markKeys: MarkKeys, log: Log): Stores {
  const redis = connectRedis(cache, log, LOSABLE);
  reportUnfit(redis, log);
  const versions = createRedisStore(redis, log);
  const store = createMarkedStore(versions, markKeys);
  return {
    shared: store,
    perKey: store,
    versions,
    redis,
    async firstContact() {
      if (redis.status === 'ready') return;
      // Rejects if the connection is refused.
      await once(redis, 'ready', { signal: AbortSignal.timeout(FIRST_CONTACT_MS) }).catch(() => {});
    },
    close: async () => redis.disconnect(),
  };
}
