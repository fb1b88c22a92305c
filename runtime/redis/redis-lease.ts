import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisGuard, RedisScript } from './redis-guard.js';

/** Runs work that one process at a time should do. Rejects if the work does, or if the signal ends the wait. */
export type InTurn = (work: () => Promise<void>, signal: AbortSignal) => Promise<void>;

/** The work that processes take turns at, and where they agree on the turn. */
export interface LeaseOptions {
  readonly redis: RedisGuard;
  /** Name of the work, equal in all processes that take turns. */
  readonly name: string;
  /** How long the others wait for a process that died. */
  readonly leaseMs?: number;
}

const LEASE_MS = 30_000;
/** How often a holder renews within the time of a lease; waiters try ten times as often. */
const RENEWALS = 3;
/** A holder that takes longer is hanging: the others need not wait for it. */
const MAX_WORK_MS = 15 * 60_000;

/** The work is not urgent, so one late reply is no reason to do it twice. */
const TRIES = 3;

/** A process that retries after a late reply may already hold the lease. */
const TAKE = script(`
  local owner = redis.call('get', KEYS[1])
  if owner and owner ~= ARGV[1] then return 0 end
  redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
  return 1
`);
const RENEW = script(
  `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end`,
);
const RELEASE = script(`if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end`);

/**
 * Turns of the processes that share a Redis: a lease that its owner renews while it works, that only its owner may
 * release, and that expires if the owner dies. It saves work and guards nothing: without Redis, or if Redis loses the
 * lease, several processes work at the same time, so what they write must tolerate that.
 */
export function createRedisLease({ redis, name, leaseMs = LEASE_MS }: LeaseOptions): InTurn {
  const key = `passerelle:lease:${name}`;

  /** Resolves once this process has the lease, or if Redis is unavailable: then it does not wait. */
  async function take(token: string, signal: AbortSignal): Promise<void> {
    for (let away = 0; away < TRIES; ) {
      const reply = await redis.script(TAKE, [key], [token, leaseMs]).catch(() => 'away');
      if (reply === 1) return;
      away = reply === 'away' ? away + 1 : 0;
      await sleep(leaseMs / RENEWALS / 10, undefined, { signal, ref: false });
    }
  }

  return async (work, signal) => {
    const token = randomUUID();
    await take(token, signal);
    const untilMs = performance.now() + MAX_WORK_MS;
    const renewing = setInterval(() => {
      if (performance.now() > untilMs) clearInterval(renewing);
      else void redis.script(RENEW, [key], [token, leaseMs]).catch(() => {});
    }, leaseMs / RENEWALS);
    renewing.unref();
    try {
      await work();
    } finally {
      clearInterval(renewing);
      // Waiters that cannot be notified wait until the lease expires.
      await redis.script(RELEASE, [key], [token]).catch(() => {});
    }
  };
}

function script(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
