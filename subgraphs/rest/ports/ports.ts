import { createHash, randomUUID } from 'node:crypto';
import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';
import { type RedisGuard, redisScript } from '../../../runtime/stores/redis.js';
import type { Stores, TextStore } from '../../../runtime/stores/text-store.js';
import { createUndiciTransport, type Transport, type TransportOptions } from './transport.js';

/** Everything the toolkit takes from the outside world. The rest is pure computation, and can run in a simulation. */
export interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  /** Slow tier of the responses that all callers share; null for memory alone. */
  readonly sharedStore: TextStore | null;
  /** Slow tier of the responses that belong to one key; null for memory alone. */
  readonly privateStore: TextStore | null;
  /** Versions of keys' last writes, which replicas share; null when this process is the only one. */
  readonly versionStore: TextStore | null;
  /** Quota accounts that all replicas share; null when this process is the only one. */
  readonly sharedQuota: QuotaStore | null;
  /** What all replicas reserve; absent when this process is the only one. */
  readonly reservations?: Reservations;
  /** Called for each of this service's caches, for metrics. */
  readonly watchCache?: WatchCache;
}

/** Chance, as the toolkit sees it: a number from 0 up to but excluding 1. The simulation has a seeded one. */
export type Random = () => number;

/** Connections to one service: as many as the bulkhead allows concurrent calls (reliability 3). */
const CONNECTIONS = 32;

/** The real ports: the machine's clock and random numbers, sockets, and the given stores. One set per service. */
export function createSystemPorts(
  { shared, perKey, versions, redis }: Pick<Stores, 'shared' | 'perKey' | 'versions' | 'redis'>,
  watchCache: WatchCache = unwatched,
  proxies: TransportOptions['proxies'] = null,
): Ports {
  return {
    clock: systemClock,
    // Not for secrets: its numbers can be predicted.
    random: () => Math.random(),
    transport: createUndiciTransport({ connections: CONNECTIONS, proxies }),
    sharedStore: shared,
    privateStore: perKey,
    versionStore: versions,
    watchCache,
    sharedQuota: redis === null ? null : createRedisQuotaStore(redis, randomUUID),
    ...(redis !== null && { reservations: createRedisReservations(redis) }),
  };
}

/** Where replicas share values. Its methods reject quickly when it cannot be reached. */
export interface QuotaStore {
  /** Replaces a value unless it has changed since it was read; returns the current one. */
  compareAndSet(service: string, key: string, change: Change): Promise<Stored>;
}

/** A compare-and-set: what is known, and what to put in its place. */
export interface Change {
  /** Epoch of the store as this replica knows it: if it differs, nothing changes. Null if it knows none. */
  readonly epoch: string | null;
  /** The version known; empty for none. */
  readonly version: string;
  /** What to put in its place; null only reads. */
  readonly next: { readonly version: string; readonly value: string } | null;
}

/** What the store holds after a compare-and-set: the new value or another replica's. */
export interface Stored {
  /** Changes when the store has lost its data. */
  readonly epoch: string;
  /** Empty when there is no value. */
  readonly version: string;
  /** Empty when there is none, or its version was already known. */
  readonly value: string;
  /** Milliseconds since it was written. */
  readonly ageMs: number;
}

/** Longer than any request and window together: a value untouched for this long no longer counts. */
const EXPIRY_MS = 10 * 60_000;

/**
 * Replaces a value unless it has changed since it was read; returns the current one.
 * KEYS: value · epoch of the store
 * ARGV: known epoch, or '' · epoch for an empty store · known version, or '' · new version, or '' to read · new value
 *   · ms after which everything expires
 */
const COMPARE_AND_SET = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- This comes first: a server whose memory is full refuses a script only as long as it has written nothing.
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('SET', KEYS[2], ARGV[2], 'NX')
redis.call('PEXPIRE', KEYS[2], ARGV[6])
local epoch = redis.call('GET', KEYS[2])
local held = redis.call('HMGET', KEYS[1], 'version', 'value', 'at')
local version = held[1] or ''
if version ~= ARGV[3] or (ARGV[1] ~= '' and ARGV[1] ~= epoch) then
  return { epoch, version, held[2] or '', now - (held[3] or now) }
end
if ARGV[4] == '' then return { epoch, version } end
redis.call('HSET', KEYS[1], 'version', ARGV[4], 'value', ARGV[5], 'at', now)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return { epoch, ARGV[4] }
`);

/** Values that replicas share in Redis. `newEpoch` returns a different epoch each time, for a store that is empty. */
export function createRedisQuotaStore(redis: RedisGuard, newEpoch: () => string): QuotaStore {
  return {
    async compareAndSet(service, key, { epoch, version, next }) {
      // The braces (a hash tag) put a service's values and its epoch on the same server of a cluster.
      const keyOf = (name: string) => `quota:{${hash(service)}}:${name}`;
      const args = [epoch ?? '', newEpoch(), version, next?.version ?? '', next?.value ?? '', EXPIRY_MS];
      const reply = await redis.script(COMPARE_AND_SET, [keyOf(hash(key)), keyOf('epoch')], args);
      const [held = '', heldVersion = '', value = '', ageMs = 0] = Array.isArray(reply) ? reply : [];
      return { epoch: String(held), version: String(heldVersion), value: String(value), ageMs: Number(ageMs) };
    },
  };
}

/** Reservations of something that replicas share, each with an expiry, as a replica may die before it ends its own. */
export interface Reservations {
  /**
   * Whether the id now has its amount of what the key names, for so long; rejects if the store cannot be reached. It waits
   * its turn behind all that asked before and still ask, at least once a second. Asked again, a reservation ends after
   * the new lease; with a lease of 0, at once.
   */
  reserve(key: string, reservation: Reservation): Promise<boolean>;
}

/** Part of what replicas share. */
export interface Reservation {
  /** Unique among all replicas. */
  readonly id: string;
  readonly amount: number;
  /** The most that all may have together; who wants more goes alone. */
  readonly limit: number;
  readonly leaseMs: number;
}

/**
 * KEYS: reservations, by id: amount (0 while it waits) · µs when it first asked · ms until when
 * ARGV: id · amount · limit · ms of the lease · ms for which one that waits is remembered · ms after which all expires
 */
const RESERVE = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local id, amount, limit, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local all = redis.call('HGETALL', KEYS[1])
local since, held, taken, first = time[1] * 1e6 + time[2], 0, 0, math.huge
for at = 1, #all, 2 do
  local has, from, to = string.match(all[at + 1], '(%d+) (%d+) (%d+)')
  has, from, to = tonumber(has), tonumber(from), tonumber(to)
  if to <= now then redis.call('HDEL', KEYS[1], all[at])
  elseif all[at] == id then since, held = from, has
  elseif has > 0 then taken = taken + has
  else first = math.min(first, from) end
end
if lease == 0 then return redis.call('HDEL', KEYS[1], id) end
local isNext = since <= first and (taken == 0 or taken + amount <= limit)
local has = (held > 0 or isNext) and amount or 0
redis.call('HSET', KEYS[1], id, string.format('%d %.0f %.0f', has, since, now + (has > 0 and lease or ARGV[5])))
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return has
`);

/** How long one that waits keeps its turn without asking again. */
const TURN_MS = 1000;

/** Reservations in Redis. */
export function createRedisReservations(redis: RedisGuard): Reservations {
  return {
    async reserve(key, { id, amount, limit, leaseMs }) {
      const args = [id, amount, limit, leaseMs, TURN_MS, EXPIRY_MS];
      return Number(await redis.script(RESERVE, [`reserved:${hash(key)}`], args)) > 0;
    },
  };
}

/** Hashed, because names of scopes reveal services and routes. */
function hash(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

/** Time, as the toolkit sees it. The simulation has a virtual clock. */
export interface Clock {
  /** Milliseconds on a clock that never goes back: for measuring and waiting. */
  monotonicMs(): number;
  /** Milliseconds since 1970: for times that outlive the process or are compared with those of others. */
  wallMs(): number;
  /** Runs the task once after `ms`, never before. The returned function cancels it. Never keeps the process alive. */
  after(ms: number, task: () => void): () => void;
  /** Runs the task now, or in a later turn of the event loop if the current one has already taken long. */
  soon(task: () => void): void;
}

/** The longest delay of Node's timers: with a longer one they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clocks and timers. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after(ms, task) {
    const dueMs = performance.now() + Math.max(ms, 0);
    let isCancelled = false;
    let timer = arm();
    function arm(): NodeJS.Timeout {
      return setTimeout(fire, Math.min(dueMs - performance.now(), MAX_TIMER_MS)).unref();
    }
    function fire(): void {
      // Node rounds down: a task that compares times would find that it is not yet due, and sleep again for ever.
      if (performance.now() < dueMs) timer = arm();
      else systemClock.soon(() => isCancelled || task());
    }
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  },
  soon(task) {
    // A deadline ends thousands of calls in the same millisecond, and much follows from each.
    if (isTurnSpent()) void freshTurn().then(task);
    else task();
  },
};

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}
