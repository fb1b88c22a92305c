import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRedisGuard } from '../../../runtime/redis/redis-guard.js';
import { createRedisQuota } from '../../../subgraphs/rest/quota/redis-quota.js';
import type { RemoteQuota } from '../../../subgraphs/rest/quota/remote-quota.js';
import type { WindowScope } from '../../../subgraphs/rest/quota/scope.js';
import { startRedis } from '../../auth/support/redis.js';
import { createLines } from '../../runtime/support/lines.js';
import { createVirtualAccounts } from '../support/virtual-accounts.js';

const server = await startRedis();
const client = server === null ? null : new Redis(server.url);
// No command is late, however busy the machine: how late it may be is for the tests of the guard.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterAll(async () => {
  vi.useRealTimers();
  client?.disconnect();
  await server?.close();
});

const SCOPE: WindowScope = { kind: 'window', name: 'GET /search alice', limit: 60, windowMs: 60_000 };

/** The same accounts twice: the scripts in Redis, and their twin that the simulation uses. */
const places: [string, () => RemoteQuota][] = [['the twin', () => createVirtualAccounts(() => 1_000)]];
if (client !== null) {
  const guard = createRedisGuard(client, createLines().log);
  places.push(['the scripts', () => createRedisQuota(guard, randomUUID)]);
}

const outcomeOf = ({ flying, reserved }: { flying: number; reserved: number }) => ({ flying, reserved });

describe.each(places)('accounts that replicas share: %s', (_place, open) => {
  let quota: RemoteQuota;
  beforeEach(async () => {
    await client?.flushall();
    quota = open();
  });

  const ids = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `r.${from + n}`);
  async function take(count: number, parts: { from?: number; headroom?: number; scope?: WindowScope } = {}) {
    const { from = 0, headroom = 0, scope = SCOPE } = parts;
    const taken = await quota.takeWindow(scope, { ids: ids(count, from), leaseMs: 10_000, headroom }, null);
    if (taken === 'lost') throw new Error('Nothing was lost.');
    return taken;
  }
  const land = (
    id: string,
    told: [limit: number, remaining: number, resetSeconds: number] | null = null,
    blockMs = 0,
  ) => {
    const [limit = 0, remaining = 0, resetSeconds = 0] = told ?? [];
    return quota.landWindow(SCOPE, { id, quota: told === null ? null : { limit, remaining, resetSeconds }, blockMs });
  };

  it('give out exactly what there is to three hundred at once', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, (_, n) => take(30, { from: n * 30 })));
    expect(all.reduce((sum, { flying, reserved }) => sum + flying + reserved, 0)).toBe(60);
    expect(all.reduce((sum, { flying }) => sum + flying, 0)).toBe(6);
    expect(all.at(-1)?.state.spends).toHaveLength(60);
  });

  it('let the next ones fly when some have landed, and count these on', async () => {
    await take(20);
    await land('r.0');
    await land('r.1');
    const { flying, reserved, state } = await take(14, { from: 6 });
    expect({ flying, reserved }).toEqual({ flying: 2, reserved: 12 });
    expect(
      state.spends
        .filter(({ landed }) => landed)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['r.0', 'r.1']);
    expect(state.spends.filter(({ flyingInMs }) => flyingInMs > 0)).toHaveLength(6);
  });

  it('believe the lowest rest of the running window, and a limit that changes', async () => {
    await take(3);
    await land('r.0', [600, 5, 30]);
    await land('r.1', [600, 7, 31]);
    const { flying, reserved, state } = await take(20, { from: 10 });
    expect(flying + reserved).toBe(4);
    expect(state.limit).toBe(600);
    expect(state.told?.remaining).toBe(5);
    expect(Math.abs((state.told?.endsInMs ?? 0) - 31_000)).toBeLessThan(500);
  });

  it('take back what was reserved before the headers told of a stranger, and send no more than they surely leave', async () => {
    await take(40);
    await take(20, { from: 40 });
    await land('r.0', [60, 28, 50]);
    const all = async () => [await take(34, { from: 6 }), await take(20, { from: 40 })].map(outcomeOf);
    // Twenty are the other replica's: eight are left to this one.
    expect(await all()).toEqual([
      { flying: 1, reserved: 7 },
      { flying: 0, reserved: 20 },
    ]);
    for (const id of ids(6, 1)) await land(id, [60, 5, 50]);
    expect([await take(7, { from: 7 }), await take(20, { from: 40 })].map(outcomeOf)).toEqual([
      { flying: 0, reserved: 0 },
      { flying: 5, reserved: 0 },
    ]);
  });

  it('take nothing for reserved that was sent by a replica that died', async () => {
    await quota.takeWindow(SCOPE, { ids: ids(6), leaseMs: 0, headroom: 0 }, null);
    await take(54, { from: 10 });
    // The service has counted both sixes, so that exactly the reserved ones are left.
    await land('r.10', [60, 48, 50]);
    expect(outcomeOf(await take(48, { from: 16 }))).toEqual({ flying: 1, reserved: 47 });
  });

  it('let an id fly again that an answer which came too late had let fly', async () => {
    await take(10);
    expect(outcomeOf(await take(10))).toEqual({ flying: 6, reserved: 4 });
  });

  it('believe an earlier end that a later answer names', async () => {
    await take(3);
    await land('r.0', [60, 5, 60]);
    await land('r.1', [60, 7, 4]);
    const { state } = await take(0);
    expect(state.told?.remaining).toBe(5);
    expect(Math.abs((state.told?.endsInMs ?? 0) - 5_000)).toBeLessThan(500);
  });

  it('take over a new window from the headers', async () => {
    await take(2);
    await land('r.0', [60, 1, 1]);
    await land('r.1', [60, 59, 60]);
    expect((await take(0)).state.told?.remaining).toBe(59);
  });

  it('give out nothing while the service refuses', async () => {
    await take(2);
    await land('r.0', null, 5_000);
    const { flying, reserved, state } = await take(3, { from: 1 });
    expect({ flying, reserved }).toEqual({ flying: 0, reserved: 1 });
    expect(state.blockedMs).toBeGreaterThan(4_000);
  });

  it('leave a share to others', async () => {
    const { flying, reserved } = await take(60, { headroom: 0.5 });
    expect(flying + reserved).toBe(30);
  });

  it('find an unknown limit out with one call', async () => {
    const scope = { ...SCOPE, limit: null };
    expect(await take(5, { scope })).toMatchObject({ flying: 1, reserved: 0, state: { limit: null } });
    await quota.landWindow(scope, { id: 'r.0', quota: null, blockMs: 0 });
    expect((await take(5, { scope, from: 1 })).flying).toBe(5);
  });

  it('take back what was not needed, but nothing that has landed', async () => {
    await take(60);
    await land('r.0');
    await quota.dropWindow(SCOPE, ['r.0', 'r.1', 'r.2']);
    const { flying, reserved } = await take(5, { from: 100 });
    expect(flying + reserved).toBe(2);
  });

  it('say that they lost their memory, and are told it by the ids of calls', async () => {
    const { epoch, state } = await take(10);
    expect(await quota.takeWindow(SCOPE, { ids: [], leaseMs: 0, headroom: 0 }, epoch)).not.toBe('lost');
    const another = { ...SCOPE, name: 'forgotten' };
    expect(await quota.takeWindow(another, { ids: ['x'], leaseMs: 1, headroom: 0 }, epoch)).toBe('lost');
    const own = [{ id: 'r.1', untilInMs: 61_000, flyingInMs: 0, landed: true }];
    await quota.remind(another, { own, seen: { ...state, told: { remaining: 30, endsInMs: 9_000 }, limit: 50 } });
    const reminded = await quota.takeWindow(another, { ids: [], leaseMs: 0, headroom: 0 }, null);
    expect(reminded).toMatchObject({ state: { limit: 50, told: { remaining: 30 } } });
    if (reminded === 'lost') throw new Error('It was just told.');
    expect(reminded.state.spends.map(({ id }) => id).sort()).toEqual(ids(10).sort());
    expect(reminded.state.spends.filter(({ landed }) => landed).map(({ id }) => id)).toEqual(['r.1']);
  });

  it('believe a replica that says that its call is still waiting', async () => {
    await take(6);
    const own = ids(6).map((id) => ({ id, untilInMs: 10_000, flyingInMs: 0, landed: false }));
    await quota.remind(SCOPE, { own, seen: null });
    expect(await take(6)).toMatchObject({ flying: 6, reserved: 0 });
  });

  it('are reminded of what they still know without harm', async () => {
    const { state } = await take(10);
    await land('r.0', [60, 50, 30]);
    await quota.remind(SCOPE, { own: [], seen: state });
    const after = await take(0);
    expect(after.state.spends).toHaveLength(10);
    expect(after.state.spends.filter(({ landed }) => landed).map(({ id }) => id)).toEqual(['r.0']);
    expect(after.state.told?.remaining).toBe(50);
  });

  it('share a pace, and its halving', async () => {
    const pace = { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 } as const;
    const first = await quota.takePace(pace, { ids: ids(50), leaseMs: 0, headroom: 0 });
    expect(first).toMatchObject({ flying: 50, perSecond: 30 });
    const second = await quota.takePace(pace, { ids: ids(50), leaseMs: 0, headroom: 0 });
    expect(second.flying).toBeGreaterThanOrEqual(10);
    expect(second.flying).toBeLessThan(20);
    await quota.slowPace(pace);
    const slowed = await quota.takePace(pace, { ids: ids(50), leaseMs: 0, headroom: 0 });
    expect(slowed.flying).toBe(0);
    expect(slowed.perSecond).toBeLessThan(20);
  });

  it('count the replicas of a service', async () => {
    expect(await quota.beat('a', 'one')).toHaveLength(1);
    expect(await quota.beat('a', 'two')).toHaveLength(2);
    expect(await quota.beat('b', 'three')).toHaveLength(1);
    const ages = await quota.beat('a', 'one');
    expect(ages).toHaveLength(2);
    expect(Math.min(...ages)).toBe(0);
    expect(Math.max(...ages)).toBeLessThan(1_000);
  });
});

describe.runIf(client !== null)('the scripts and their twin', () => {
  const replica = fc.nat({ max: 2 });
  const remaining = fc.oneof(fc.constant(null), fc.nat({ max: 60 }), fc.nat({ max: 8 }));
  const deeds = fc.array(
    fc.oneof(
      fc.record({ does: fc.constant('take' as const), replica, calls: fc.nat({ max: 40 }), background: fc.boolean() }),
      fc.record({ does: fc.constant('land' as const), remaining }),
      fc.record({ does: fc.constant('leave' as const), replica }),
    ),
    { minLength: 10, maxLength: 30 },
  );
  type Deed = typeof deeds extends fc.Arbitrary<(infer One)[]> ? One : never;

  /** What each take of three replicas got. */
  async function play(all: readonly Deed[], quota: RemoteQuota): Promise<object[]> {
    const reserved: string[][] = [[], [], []];
    const flying: string[] = [];
    const outcomes: object[] = [];
    for (const [turn, deed] of all.entries()) {
      if (deed.does === 'land') {
        const [id] = flying.splice(0, 1);
        const told = deed.remaining === null ? null : { limit: 60, remaining: deed.remaining, resetSeconds: 60 };
        if (id !== undefined) await quota.landWindow(SCOPE, { id, quota: told, blockMs: 0 });
        continue;
      }
      const mine = reserved[deed.replica] ?? [];
      if (deed.does === 'leave') {
        await quota.dropWindow(SCOPE, mine.splice(1));
        continue;
      }
      mine.push(...Array.from({ length: deed.calls }, (_, n) => `r${deed.replica}.${turn}-${n}`));
      const ask = { ids: [...mine], leaseMs: 10 * 60_000, headroom: deed.background ? 0.5 : 0 };
      const taken = await quota.takeWindow(SCOPE, ask, null);
      if (taken === 'lost') throw new Error('Nothing was lost.');
      outcomes.push({ turn, ...outcomeOf(taken), spends: taken.state.spends.map(({ id }) => id).sort() });
      flying.push(...mine.splice(0, taken.flying));
      mine.splice(taken.reserved);
    }
    return outcomes;
  }

  it('give out the same in whatever order three replicas ask, land and leave', async () => {
    const guard = createRedisGuard(client as Redis, createLines().log);
    const same = fc.asyncProperty(deeds, async (all) => {
      await client?.flushall();
      const byScripts = await play(all, createRedisQuota(guard, randomUUID));
      expect(byScripts).toEqual(
        await play(
          all,
          createVirtualAccounts(() => 1_000),
        ),
      );
    });
    await fc.assert(same, { numRuns: 40, seed: 7 });
  });
});

describe.runIf(client !== null)('in Redis', () => {
  it('everything ends by itself, and no key says what it is of', async () => {
    await client?.flushall();
    const quota = createRedisQuota(createRedisGuard(client as Redis, createLines().log), randomUUID);
    await quota.takeWindow(SCOPE, { ids: ['a', 'b'], leaseMs: 1, headroom: 0 }, null);
    await quota.landWindow(SCOPE, { id: 'a', quota: { limit: 60, remaining: 1, resetSeconds: 1 }, blockMs: 1 });
    await quota.remind({ ...SCOPE, name: 'other' }, { own: [], seen: null });
    await quota.takePace({ kind: 'pace', name: 'p', perSecond: 1, burst: 1 }, { ids: ['a'], leaseMs: 0, headroom: 0 });
    await quota.beat('service', 'one');
    const keys = (await client?.keys('*')) ?? [];
    expect(keys.length).toBeGreaterThan(5);
    for (const key of keys) {
      expect(await client?.pttl(key), key).toBeGreaterThan(0);
      expect(key).not.toContain('search');
    }
  });

  it('scripts are sent again to a server that has forgotten them', async () => {
    const quota = createRedisQuota(createRedisGuard(client as Redis, createLines().log), randomUUID);
    await quota.beat('service', 'one');
    await client?.script('FLUSH');
    expect(await quota.beat('service', 'two')).toHaveLength(2);
  });
});
