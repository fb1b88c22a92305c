import type { Redis } from 'ioredis';
import type { Log } from '../../kernel/log.js';

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

/** How long a command may take; a healthy Redis responds within a few milliseconds (reliability 7). */
const COMMAND_MS = 50;
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
export class RedisAway extends Error {
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
      inTime(redis.ping(), COMMAND_MS).then(alive, pause);
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
      return await inTime(reply, failures === 0 ? COMMAND_MS : COMMAND_IN_DOUBT_MS);
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
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    const nowMs = performance.now();
    if (nowMs - loggedAtMs < REFUSED_PAUSE_MS) return;
    loggedAtMs = nowMs;
    // Only its first word: the rest may quote what was sent.
    log.warn({ code: /^[A-Z]+\b/.exec(message)?.[0] }, 'Redis refuses commands');
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
