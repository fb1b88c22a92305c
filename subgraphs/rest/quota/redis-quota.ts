import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisGuard, RedisScript } from '../../../runtime/redis/redis-guard.js';
import { GUARD_MS, SAME_WINDOW_MS, UNLIMITED } from './book.js';
import { REGAINED_PER_SECOND, SLOWEST } from './pace-account.js';
import type { AccountState, RemoteQuota, RemoteSpend } from './remote-quota.js';
import type { PaceScope, WindowScope } from './scope.js';

/** Longer than any request and any window together: what nobody touched for so long counts for nothing. */
const FORGOTTEN_MS = 10 * 60_000;
/** A replica that was silent for three beats is gone. */
const SILENT_MS = 6_000;

const TAKE = script('take-window');
const LAND = script('land-window');
const DROP = script('drop-window');
const REMIND = script('remind-window');
const PACE = script('take-pace');
const BEAT = script('beat');

/** The shared accounts in Redis. Each change is one script, so that replicas never see half of another's. */
export function createRedisQuota(redis: RedisGuard, newEpoch: () => string): RemoteQuota {
  const keysOf = (scope: WindowScope) => ['spends', 'open', 'flying', 'account'].map((part) => keyOf(scope.name, part));
  // In braces, so that the parts of an account lie together when there are several servers.
  const keyOf = (name: string, part: string) => `passerelle:quota:{${hash(name)}}:${part}`;

  function pace({ name, perSecond, burst }: PaceScope, wanted: number, more: { headroom: number; halve: boolean }) {
    const { headroom, halve } = more;
    const regained = [REGAINED_PER_SECOND, SLOWEST, halve ? 1 : 0, FORGOTTEN_MS];
    return redis.script(PACE, [keyOf(name, 'bucket')], [perSecond, burst, wanted, headroom, ...regained]);
  }

  return {
    async takeWindow(scope, { ids, leaseMs, headroom }, epoch) {
      const figures = [countsMs(scope), Math.ceil(leaseMs), headroom, FORGOTTEN_MS];
      const args = [epoch ?? '', newEpoch(), scope.limit ?? '', ...figures, ...ids];
      const reply = await redis.script(TAKE, keysOf(scope), args);
      if (!Array.isArray(reply) || reply[0] !== 'ok') return 'lost';
      const [, mark, flying, reserved, ...state] = reply.map(String);
      return { epoch: mark ?? '', flying: Number(flying), reserved: Number(reserved), state: readState(state) };
    },
    async landWindow(scope, { id, quota, blockMs }) {
      const told = quota === null ? ['', '', ''] : [quota.limit, quota.remaining, quota.resetSeconds * 1000 + GUARD_MS];
      const untold = scope.limit === null ? UNLIMITED : '';
      const args = [id, countsMs(scope), blockMs, ...told, SAME_WINDOW_MS, untold, FORGOTTEN_MS];
      await redis.script(LAND, keysOf(scope), args);
    },
    async dropWindow(scope, ids) {
      await redis.script(DROP, keysOf(scope).slice(0, 3), ids);
    },
    async remind(scope, { own, seen }) {
      const told = seen?.told ?? null;
      const account = [seen?.limit ?? '', told?.remaining ?? '', told?.endsInMs ?? '', seen?.blockedMs ?? 0];
      const args = [newEpoch(), FORGOTTEN_MS, ...account.map(whole)];
      const spends = [
        ...(seen?.spends ?? []).map((one) => written(one, false)),
        ...own.map((one) => written(one, true)),
      ];
      await redis.script(REMIND, keysOf(scope), [...args, ...spends.flat()]);
    },
    async takePace(scope, { ids, headroom }) {
      const reply = await pace(scope, ids.length, { headroom, halve: false });
      const [flying = 0, left = 0, perSecond = scope.perSecond] = Array.isArray(reply) ? reply.map(Number) : [];
      return { flying, left, perSecond };
    },
    async slowPace(scope) {
      await pace(scope, 0, { headroom: 0, halve: true });
    },
    async beat(service, replica) {
      const ages = await redis.script(BEAT, [`passerelle:replicas:${service}`], [replica, SILENT_MS]);
      return Array.isArray(ages) ? ages.map(Number) : [];
    },
  };
}

function countsMs({ windowMs }: WindowScope): number {
  return windowMs + GUARD_MS;
}

function readState([limit, remaining, endsInMs, blockedMs, log = '']: string[]): AccountState {
  return {
    limit: Number(limit) < 0 ? null : Number(limit),
    told: Number(remaining) < 0 ? null : { remaining: Number(remaining), endsInMs: Number(endsInMs) },
    blockedMs: Number(blockedMs),
    spends: log === '' ? [] : log.split(',').map(readSpend),
  };
}

function readSpend(text: string): RemoteSpend {
  const [id = '', untilInMs, flyingInMs, landed] = text.split(':');
  return { id, untilInMs: Number(untilInMs), flyingInMs: Number(flyingInMs), landed: landed === '1' };
}

function written({ id, untilInMs, flyingInMs, landed }: RemoteSpend, own: boolean): (string | number)[] {
  return [id, whole(untilInMs), whole(flyingInMs), landed ? 1 : 0, own ? 1 : 0];
}

/** Scores are whole milliseconds. */
function whole<T extends number | string>(value: T): T | number {
  return typeof value === 'number' ? Math.ceil(value) : value;
}

function hash(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

function script(name: string): RedisScript {
  const text = readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8');
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
