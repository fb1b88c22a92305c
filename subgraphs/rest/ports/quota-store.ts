import { createHash } from 'node:crypto';
import type { RedisGuard, RedisScript } from '../../../runtime/redis/redis-guard.js';

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
const COMPARE_AND_SET = scriptOf(`
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
      const keyOf = (name: string) => `passerelle:quota:{${hash(service)}}:${name}`;
      const args = [epoch ?? '', newEpoch(), version, next?.version ?? '', next?.value ?? '', EXPIRY_MS];
      const reply = await redis.script(COMPARE_AND_SET, [keyOf(hash(key)), keyOf('epoch')], args);
      const [held = '', heldVersion = '', value = '', ageMs = 0] = Array.isArray(reply) ? reply : [];
      return { epoch: String(held), version: String(heldVersion), value: String(value), ageMs: Number(ageMs) };
    },
  };
}

/** Hashed, because names of scopes reveal services and routes. */
function hash(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

function scriptOf(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
