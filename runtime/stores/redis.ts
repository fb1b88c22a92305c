import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Redis, RedisOptions } from 'ioredis';
import type { Log } from '../../kernel/log.js';
import type { Secret } from '../credentials/secret.js';

/** A command of a client that nothing guards: a frozen server must not hold up requests. */
const COMMAND_MS = 500;
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
  const redis = new library.Redis(url.reveal(), {
    commandTimeout: COMMAND_MS,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_PAUSE_MS),
    reconnectOnError: createFailoverCheck(),
    keyPrefix: `${prefix}:`,
    ...more,
  });
  const unreachable = url.reveal().startsWith('rediss:') ? `${UNREACHABLE} by TLS: ${NO_TLS}` : UNREACHABLE;
  let reachable: boolean | null = null;
  redis.on('ready', () => {
    if (reachable === false) log.info({}, 'the shared store can be reached again');
    reachable = true;
  });
  redis.on('error', (error: Error) => {
    const isDatabaseRefused = isRefusedSelect(error);
    const message = isDatabaseRefused ? 'the shared store refuses the database of CACHE_URL' : unreachable;
    if (reachable !== false) log.error({ code: codeOf(error) }, message);
    reachable = false;
    // The library would go on with database 0, which may belong to others.
    if (isDatabaseRefused) redis.disconnect(true);
  });
  return redis;
}

/** Says of which errors to connect again: at most once a second, as the address may lead to the same server for a while. */
function createFailoverCheck(): (error: Error) => boolean {
  const mayTry = atMostEvery(MAX_PAUSE_MS);
  return ({ message }) => NOT_PRIMARY.test(message) && mayTry();
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
  redis.once('ready', async () => {
    // A user with few rights may not ask.
    const info = await redis.info().catch(() => '');
    const factOf = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? null;
    const mode = factOf('redis_mode');
    const policy = factOf('maxmemory_policy');
    if (mode === 'cluster') log.error({}, 'the shared store is a cluster, in which only single servers are supported');
    if (mode === 'sentinel') log.error({}, 'the shared store is a sentinel: name the server or a proxy in CACHE_URL');
    if (policy !== null && policy !== 'noeviction')
      log.warn({ policy }, 'the shared store may evict sessions: set maxmemory-policy to noeviction');
  });
}

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

/** A script that Redis runs as one step. */
export interface RedisScript {
  readonly text: string;
  readonly sha1: string;
}

/**
 * Redis behind a guard: a server that is gone, frozen or slow costs a request next to nothing. For commands that may be
 * lost without harm.
 */
export interface RedisGuard {
  /** Whether the server is connected and has answered recently. */
  readonly reachable: boolean;
  /** Runs commands. Rejects after 50 ms, and at once while the server is known to be away. */
  run<T>(commands: (redis: Redis) => Promise<T>): Promise<T>;
  /** Runs a script by its hash, and sends its text if the server does not know it. */
  script(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}

/** How long a command may take; a healthy Redis responds within a few milliseconds (reliability 6). */
const GUARDED_COMMAND_MS = 50;
/** After a late command, the next ones wait only this long: a request sends several. */
const COMMAND_IN_DOUBT_MS = 5;
/** Commands in a row without a reply after which the server counts as away. */
export const FAILURES_UNTIL_AWAY = 3;
/** Refusals are logged once a minute: a full server refuses every write. */
const REFUSED_PAUSE_MS = 60_000;
/** A timer that fires this late shows that this process is stalled, not the server. */
const STALL_MS = 5;
const PAUSES_MS = [1000, 2000, 4000, 5000] as const;

/** Redis is unavailable, so the command was not sent. */
class RedisAway extends Error {
  constructor() {
    super('Redis is away.');
    this.name = 'RedisAway';
  }
}

/** Guards a client that is opened and closed elsewhere. Logs when the server goes away and comes back. */
export function createRedisGuard(redis: Redis, log: Log): RedisGuard {
  let reachable = true;
  let failures = 0;
  let pauses = 0;
  let timer: NodeJS.Timeout | null = null;
  const refused = createRefusalLog(log);

  /** Any sign of life, however late, ends the pause. */
  function alive(): void {
    failures = 0;
    pauses = 0;
    if (reachable) return;
    reachable = true;
    if (timer !== null) clearTimeout(timer);
    log.info({}, 'Redis is shared again');
  }

  function failed(): void {
    failures += 1;
    if (failures < FAILURES_UNTIL_AWAY || !reachable) return;
    reachable = false;
    log.warn({}, 'Redis is away: this process continues on its local fallback');
    pause();
  }

  function pause(): void {
    const ms = PAUSES_MS[Math.min(pauses, PAUSES_MS.length - 1)];
    pauses += 1;
    timer = setTimeout(() => {
      if (redis.status === 'end') return;
      inTime(redis.ping(), GUARDED_COMMAND_MS).then(alive, pause);
    }, ms);
    timer.unref();
  }

  async function run<T>(commands: (redis: Redis) => Promise<T>): Promise<T> {
    // Not connected, or not yet: nothing was sent, so nothing failed.
    if (!reachable || redis.status !== 'ready') throw new RedisAway();
    const reply = commands(redis);
    // A refusal by the server is a reply too.
    reply.then(alive, (error) => {
      if (!isReply(error)) return;
      alive();
      refused(error);
    });
    try {
      return await inTime(reply, failures === 0 ? GUARDED_COMMAND_MS : COMMAND_IN_DOUBT_MS);
    } catch (error) {
      if (!isReply(error)) failed();
      throw error;
    }
  }

  redis.on('ready', alive);
  return {
    get reachable() {
      return reachable && redis.status === 'ready';
    },
    run,
    script: ({ text, sha1 }, keys, args) =>
      run((client) =>
        client.evalsha(sha1, keys.length, ...keys, ...args).catch((error: unknown) => {
          if (isReply(error) && error.message.startsWith('NOSCRIPT'))
            return client.eval(text, keys.length, ...keys, ...args);
          throw error;
        }),
      ),
  };
}

function createRefusalLog(log: Log): (error: Error) => void {
  const mayLog = atMostEvery(REFUSED_PAUSE_MS);
  return (error) => {
    if (mayLog()) log.warn({ code: codeOf(error) }, 'Redis refuses commands');
  };
}

/**
 * An error that the server itself sent, such as OOM or NOAUTH: ioredis gives these this name and exports no class.
 */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/**
 * Resolves with the reply, or rejects if it is late. A timer that itself fires late is no evidence: this process was
 * stalled, and perhaps the server was too. It gets the same time again, and replies that have arrived are read first.
 */
function inTime<T>(reply: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const dueMs = performance.now() + limitMs;
    const giveUp = () => setImmediate(() => reject(new RedisAway()));
    let limit = setTimeout(() => {
      if (performance.now() - dueMs < STALL_MS) giveUp();
      else limit = setTimeout(giveUp, limitMs);
    }, limitMs);
    reply.then(resolve, reject).finally(() => clearTimeout(limit));
  });
}

/** A script with its hash, by which the server knows it once it has run. */
export function redisScript(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
