import { setTimeout as pause } from 'node:timers/promises';
import type { Sandbox } from '../../sandbox/index.js';
import { FAULT_KINDS, type Fault, isFaultKind } from '../../sandbox/server/types.js';
import type { RedisServer } from '../../test/auth/support/redis.js';
import type { Chance } from '../../test/chance.js';

/** Trouble for the services and for Redis, again and again until it is stopped. */
export interface Trouble {
  /** How often each kind has occurred. */
  readonly counts: Map<string, number>;
  /** Ends the trouble; resolves when everything is well again. */
  stop(): Promise<void>;
}

export interface TroubleOptions {
  readonly sandbox: Sandbox;
  readonly redis: RedisServer | null;
  readonly chance: Chance;
}

/** Shortest pauses between two troubles of a kind; the longest are twice as long. */
const FAULT_MS = 700;
const OUTAGE_MS = 20_000;
const REDIS_MS = 15_000;
/** How long a service or Redis is gone altogether. */
const GONE_MS = 4_000;

/** Further fields that some kinds need. */
const MORE: Partial<Record<Fault['kind'], Partial<Fault>>> = {
  latency: { ms: 3_000 },
  headers: { headers: { 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '99999999999', date: 'no date' } },
  'wrong-type': { set: { '/data': 7, '/jobs': 'none', '/0': false } },
  redirect: { headers: { location: 'http://127.0.0.1:9/elsewhere' } },
  'big-body': { bytes: 70 * 1024 * 1024 },
};

export function startTrouble({ sandbox, redis, chance }: TroubleOptions): Trouble {
  const counts: Trouble['counts'] = new Map();
  const ending = new AbortController();
  const { signal } = ending;
  const come = (kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = Object.keys(FAULT_KINDS).filter(isFaultKind);
  let turn = 0;

  /** Adds a fault of the next kind. */
  async function spoilCalls(): Promise<void> {
    const kind = kinds[turn % kinds.length] ?? 'status';
    turn += 1;
    come(kind);
    chance.pick(sandbox.running).fault({ kind, times: chance.int(1, 5), ...MORE[kind] });
  }

  async function takeAway(): Promise<void> {
    const service = chance.pick(sandbox.running);
    come('service away');
    await service.stopListening();
    await pause(GONE_MS);
    await service.startListening();
    // Otherwise the call logs would grow for as long as this process runs.
    for (const one of sandbox.running) one.clearCalls();
  }

  async function shakeRedis(server: RedisServer): Promise<void> {
    const killed = chance.happens(0.5);
    come(killed ? 'Redis killed' : 'Redis frozen');
    if (killed) await server.kill();
    else server.freeze();
    await pause(GONE_MS);
    if (killed) await server.restart();
    else server.thaw();
  }

  async function again(everyMs: number, trouble: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await pause(everyMs * chance.between(1, 2), undefined, { signal }).catch(() => {});
      if (!signal.aborted) await trouble();
    }
  }

  const all = [again(FAULT_MS, spoilCalls), again(OUTAGE_MS, takeAway)];
  if (redis !== null) all.push(again(REDIS_MS, () => shakeRedis(redis)));
  return {
    counts,
    async stop() {
      ending.abort();
      await Promise.all(all);
      for (const service of sandbox.running) service.clearFaults();
    },
  };
}
