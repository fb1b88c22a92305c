import { createRequire } from 'node:module';
import type { Redis, RedisOptions } from 'ioredis';
import type { Log } from '../../kernel/log.js';
import type { Secret } from '../credentials/secret.js';

/** A frozen server must not hold up requests. */
const COMMAND_MS = 500;
/**
 * Of a client whose commands may be lost without harm: a server that is gone, frozen or slow costs a request next to
 * nothing. One that owes a reply for two seconds counts as gone, and from then on commands fail at once: longer than this
 * process itself is ever busy with something else (reliability 6).
 */
export const LOSABLE: RedisOptions = { enableOfflineQueue: false, commandTimeout: 100, socketTimeout: 2000 };
const CONNECT_MS = 1_000;
/** Longest pause between two attempts to reach a server that is gone; shortest between two that look for the primary. */
const MAX_PAUSE_MS = 1_000;

/** Where replicas share what they know. */
export interface SharedCache {
  readonly url: Secret;
  /** Every key begins with it and a colon. */
  readonly prefix: string;
}

/** A server that has become a replica, or is not ready: after a failover, the address leads to another one. */
const NOT_PRIMARY = /\b(READONLY|LOADING|MASTERDOWN)\b/;

/**
 * Opens the connection to `CACHE_URL` without waiting for the server: commands fail while it is away, and work again
 * when it is back. Each change of its state is one line in the log. A server that refuses the database of the address
 * counts as away. After a failover that keeps connections open, it connects again.
 */
export function connectRedis({ url, prefix }: SharedCache, log: Log, more: RedisOptions = {}): Redis {
  // Only processes that share a store load it.
  const library: typeof import('ioredis') = createRequire(import.meta.url)('ioredis');
  const mayReconnect = atMostEvery(MAX_PAUSE_MS);
  const redis = new library.Redis(url.reveal(), {
    commandTimeout: COMMAND_MS,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_PAUSE_MS),
    // At most once a second, as the address may lead to the same server for a while.
    reconnectOnError: ({ message }) => NOT_PRIMARY.test(message) && mayReconnect(),
    keyPrefix: `${prefix}:`,
    ...more,
  });
  const unreachable = url.reveal().startsWith('rediss:') ? `${UNREACHABLE} by TLS: ${NO_TLS}` : UNREACHABLE;
  /** What the log says of it; null while nothing is wrong. */
  let wrong: string | null = null;
  redis.on('ready', () => {
    if (wrong !== null) log.info({}, 'the shared store can be reached again');
    wrong = null;
  });
  redis.on('error', (error: Error) => {
    const isDatabaseRefused = isRefusedSelect(error);
    const message = isDatabaseRefused ? 'the shared store refuses the database of CACHE_URL' : unreachable;
    if (wrong === null || (isDatabaseRefused && wrong !== message)) {
      log.error({ code: codeOf(error) }, message);
      wrong = message;
    }
    // The library would go on with database 0, which may belong to others, also where the refusal comes too late for it.
    if (isDatabaseRefused || redis.status === 'connect') redis.disconnect(true);
  });
  return redis;
}

/** Says whether it is time again: true at most once in so many milliseconds. */
export function atMostEvery(pauseMs: number): () => boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - lastMs < pauseMs) return false;
    lastMs = nowMs;
    return true;
  };
}

/**
 * Logs, once, what makes a server unfit for what is stored here: it evicts sessions, spreads keys over a cluster, or
 * is a sentinel, which stores nothing.
 */
export function reportUnfit(redis: Redis, log: Log): void {
  const report = async () => {
    // A user with few rights may not ask.
    const info = await redis.info().catch(({ name }: Error) => (name === 'ReplyError' ? '' : null));
    if (info === null) return void setTimeout(report, LATE_MS).unref();
    const factOf = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? null;
    const mode = factOf('redis_mode');
    const policy = factOf('maxmemory_policy');
    if (mode === 'cluster') log.error({}, 'the shared store is a cluster, in which only single servers are supported');
    if (mode === 'sentinel') log.error({}, 'the shared store is a sentinel: name the server or a proxy in CACHE_URL');
    if (policy !== null && policy !== 'noeviction')
      log.warn({ policy }, 'the shared store may evict sessions: set maxmemory-policy to noeviction');
  };
  redis.once('ready', report);
}

/** A server that was late to say what it is is asked again after so long. */
const LATE_MS = 1000;

const UNREACHABLE = 'the shared store cannot be reached';
const NO_TLS = 'if it speaks none, CACHE_URL begins with redis://, not rediss://';

/** Whether the server refused to select a database. A client that is not logged in may not select any. */
function isRefusedSelect(error: Error & { readonly command?: { readonly name: string } }): boolean {
  return error.name === 'ReplyError' && error.command?.name === 'select' && !error.message.startsWith('NOAUTH');
}

/**
 * A connection error names the address, which may contain a password, and an error of the server may quote what it was
 * sent. So only the former's code and the latter's first word (`WRONGPASS`, `NOAUTH`) are logged.
 */
export function codeOf({ name, message, code }: Error & { readonly code?: string }): string | undefined {
  return code ?? (name === 'ReplyError' ? /^[A-Z]+\b/.exec(message)?.[0] : undefined);
}
