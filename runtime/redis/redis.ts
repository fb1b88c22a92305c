import { createRequire } from 'node:module';
import type { Redis, RedisOptions } from 'ioredis';
import type { KeyvStoreAdapter } from 'keyv';
import type { Log } from '../../kernel/log.js';
import type { Secret } from '../credentials/secret.js';

/** A command that takes longer has failed: a frozen server must not hold up requests. */
const COMMAND_MS = 500;
const CONNECT_MS = 1_000;
/** Longest pause between two attempts to reach a server that is gone. */
const MAX_PAUSE_MS = 1_000;

/**
 * Opens the connection to `CACHE_URL` without waiting for the server: commands fail while it is away, and work again
 * when it is back. Each change of its state is one line in the log. A server that refuses the database of the address
 * counts as away.
 */
export function connectRedis(url: Secret, log: Log, more: RedisOptions = {}): Redis {
  // Only processes that share a store load it.
  const library: typeof import('ioredis') = createRequire(import.meta.url)('ioredis');
  const redis = new library.Redis(url.reveal(), {
    commandTimeout: COMMAND_MS,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_PAUSE_MS),
    ...more,
  });
  let reachable: boolean | null = null;
  redis.on('ready', () => {
    if (reachable === false) log.info({}, 'the shared store can be reached again');
    reachable = true;
  });
  redis.on('error', (error: Error) => {
    const isDatabaseRefused = isRefusedSelect(error);
    const message = isDatabaseRefused ? 'the shared store refuses the database of CACHE_URL' : UNREACHABLE;
    if (reachable !== false) log.error({ code: codeOf(error) }, message);
    reachable = false;
    // The library would go on with database 0, which may belong to others.
    if (isDatabaseRefused) redis.disconnect(true);
  });
  return redis;
}

const UNREACHABLE = 'the shared store cannot be reached';

/** Whether the server refused to select a database. A client that is not logged in may not select any. */
function isRefusedSelect(error: Error & { readonly command?: { readonly name: string } }): boolean {
  return error.name === 'ReplyError' && error.command?.name === 'select' && !error.message.startsWith('NOAUTH');
}

/**
 * A connection error names the address, which may contain a password, and an error of the server may quote what it was
 * sent. So only the former's code and the latter's first word (`WRONGPASS`, `NOAUTH`) are logged.
 */
function codeOf({ name, message, code }: Error & { readonly code?: string }): string | undefined {
  return code ?? (name === 'ReplyError' ? /^[A-Z]+\b/.exec(message)?.[0] : undefined);
}

/** Keyv's adapter for Redis: entries expire in Redis, and `delete` says whether this call deleted the entry. */
export function createRedisAdapter(redis: Redis, prefix: string): KeyvStoreAdapter {
  const adapter: KeyvStoreAdapter = {
    opts: {},
    // Keyv casts what an adapter returns to the requested type, and reads it with its `deserialize`.
    get: async (key: string) => ((await redis.get(prefix + key)) ?? undefined) as never,
    async set(key: string, value: string, ttlMs?: number) {
      if (ttlMs === undefined) await redis.set(prefix + key, value);
      else await redis.set(prefix + key, value, 'PX', Math.max(1, Math.ceil(ttlMs)));
    },
    delete: async (key: string) => (await redis.del(prefix + key)) > 0,
    clear: () => Promise.reject(new Error('What replicas share is not cleared by one of them.')),
    on: () => adapter,
  };
  return adapter;
}
