import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRedisGuard, type RedisGuard } from '../../../runtime/stores/redis.js';
import {
  createRedisQuotaStore,
  createRedisReservations,
  type QuotaStore,
  type Reservations,
} from '../../../subgraphs/rest/ports/ports.js';
import type { WindowScope } from '../../../subgraphs/rest/quota/account.js';
import { createSharedLedger, type QuotaLedger } from '../../../subgraphs/rest/quota/ledger.js';
import { startRedis } from '../../auth/support/redis.js';
import { createLines } from '../../runtime/support/lines.js';
import { createVirtualClock } from '../support/virtual-clock.js';
import { createVirtualQuotaStore } from '../support/virtual-quota-store.js';
import { createVirtualReservations } from '../support/virtual-reservations.js';

const server = await startRedis();
const client = server === null ? null : new Redis(server.url);
// With faked timers no command is late, however busy the machine is; the tests of the guard check lateness.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterAll(async () => {
  vi.useRealTimers();
  client?.disconnect();
  await server?.close();
});

const SCOPE: WindowScope = { kind: 'window', name: 'GET /search alice', limit: 60, windowMs: 60_000 };
const guard = client === null ? null : createRedisGuard(client, createLines().log);
const openRedisStore = () => createRedisQuotaStore(guard as RedisGuard, randomUUID);

/** The same store twice: the script in Redis, and its twin that the simulation uses. */
const places: [string, () => QuotaStore][] = [['the twin', () => createVirtualQuotaStore(() => 1_000)]];
if (client !== null) places.push(['the script', openRedisStore]);

describe.each(places)('a store that replicas share: %s', (_place, open) => {
  let store: QuotaStore;
  beforeEach(async () => {
    await client?.flushall();
    store = open();
  });
  const put = (known: string, version: string, value: string, epoch: string | null = null) =>
    store.compareAndSet('service', 'account', { epoch, version: known, next: { version, value } });
  const read = (known = '', key = 'account') =>
    store.compareAndSet('service', key, { epoch: null, version: known, next: null });

  it('holds nothing at first', async () => {
    expect(await read()).toMatchObject({ version: '', value: '' });
  });

  it('takes the value of whoever knows the last one, and shows it to whoever does not', async () => {
    expect(await put('', 'a.1', 'first')).toMatchObject({ version: 'a.1' });
    expect(await put('', 'b.1', 'late')).toMatchObject({ version: 'a.1', value: 'first' });
    expect(await put('a.1', 'b.2', 'second')).toMatchObject({ version: 'b.2' });
    const held = await read();
    expect(held).toMatchObject({ version: 'b.2', value: 'second' });
    expect(held.ageMs).toBeLessThan(1_000);
  });

  it('says no more than that it is the same to whoever knows it', async () => {
    await put('', 'a.1', 'first');
    expect(await read('a.1')).toMatchObject({ version: 'a.1', value: '' });
  });

  it('shows the one who wrote without hearing of it that it has happened', async () => {
    await put('', 'a.1', 'first');
    expect(await put('', 'a.1', 'first')).toMatchObject({ version: 'a.1' });
  });

  it('keeps its epoch, and changes nothing for whoever knows another', async () => {
    const { epoch } = await put('', 'a.1', 'first');
    expect(epoch).not.toBe('');
    expect((await put('a.1', 'a.2', 'second', epoch)).epoch).toBe(epoch);
    expect(await put('a.2', 'a.3', 'third', 'another memory')).toMatchObject({ epoch, version: 'a.2' });
    expect((await read('', 'other')).epoch).toBe(epoch);
  });
});

const reserving: [string, () => Reservations][] = [['the twin', () => createVirtualReservations(() => 1_000)]];
if (client !== null) reserving.push(['the script', () => createRedisReservations(guard as RedisGuard)]);

describe.each(reserving)('reservations that replicas share: %s', (_place, open) => {
  it('never exceed the limit, keep the order of asking, and are given back', async () => {
    await client?.flushall();
    const store = open();
    const ask = (id: string, amount: number, leaseMs = 60_000) =>
      store.reserve('rows', { id, amount, limit: 1000, leaseMs });
    expect(await ask('a', 700)).toBe(true);
    expect(await ask('large', 1000)).toBe(false);
    expect(await ask('small', 200)).toBe(false);
    expect(await ask('a', 700)).toBe(true);
    expect(await ask('a', 700, 0)).toBe(true);
    expect(await ask('small', 200)).toBe(false);
    expect(await ask('large', 1000)).toBe(true);
    expect(await store.reserve('others', { id: 'b', amount: 1500, limit: 1000, leaseMs: 60_000 })).toBe(true);
    await ask('large', 1000, 0);
    expect(await ask('small', 200)).toBe(true);
  });
});

describe.runIf(client !== null)('the script and its twin', () => {
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

  /** The grant of each `take` by three replicas. */
  async function play(all: readonly Deed[], store: QuotaStore): Promise<object[]> {
    const clock = createVirtualClock();
    const ledgers = [0, 1, 2].map((n) => createSharedLedger({ store, clock, service: 'service', replica: `r${n}` }));
    const reserved: string[][] = [[], [], []];
    const granted: string[] = [];
    const outcomes: object[] = [];
    const accountOf = (number: number) => (ledgers[number] as QuotaLedger).open(SCOPE);
    for (const [turn, deed] of all.entries()) {
      if (deed.does === 'land') {
        const [id] = granted.splice(0, 1);
        const quota = deed.remaining === null ? null : { limit: 60, remaining: deed.remaining, resetSeconds: 60 };
        if (id !== undefined) await accountOf(Number(id[1])).land({ id, quota, blockMs: null });
        continue;
      }
      const mine = reserved[deed.replica] ?? [];
      if (deed.does === 'leave') {
        await accountOf(deed.replica).drop(mine.splice(1));
        continue;
      }
      mine.push(...Array.from({ length: deed.calls }, (_, n) => `r${deed.replica}.${turn}-${n}`));
      const send = { ids: [...mine], leaseMs: 10 * 60_000, headroom: deed.background ? 0.5 : 0 };
      const taken = await accountOf(deed.replica).take(send);
      outcomes.push({ turn, granted: taken.granted, reserved: taken.reserved });
      granted.push(...mine.splice(0, taken.granted));
      mine.splice(taken.reserved);
    }
    expect(ledgers.map(({ isLocalFallback }) => isLocalFallback)).toEqual([false, false, false]);
    for (const ledger of ledgers) ledger.close();
    return outcomes;
  }

  it('the script and its twin give out the same in whatever order three replicas ask, land and leave', async () => {
    const same = fc.asyncProperty(deeds, async (all) => {
      await client?.flushall();
      const byScript = await play(all, openRedisStore());
      expect(byScript).toEqual(
        await play(
          all,
          createVirtualQuotaStore(() => 1_000),
        ),
      );
    });
    await fc.assert(same, { numRuns: 40, seed: 7 });
  });
});

describe.runIf(client !== null)('in Redis', () => {
  const openLedgers = (count: number, store = openRedisStore()) =>
    Array.from({ length: count }, (_, n) =>
      createSharedLedger({ store, clock: createVirtualClock(), service: 'service', replica: `r${n}` }),
    );

  it('replicas that ask at once are given exactly what there is, and each knows of all of it', async () => {
    await client?.flushall();
    const ledgers = openLedgers(10);
    const all = await Promise.all(
      ledgers.map((ledger, n) =>
        ledger.open(SCOPE).take({
          ids: Array.from({ length: 30 }, (_, call) => `r${n}.${call}`),
          leaseMs: 10_000,
          headroom: 0,
        }),
      ),
    );
    expect(all.reduce((sum, { granted, reserved }) => sum + granted + reserved, 0)).toBe(60);
    expect(all.reduce((sum, { granted }) => sum + granted, 0)).toBe(6);
    const looked = await ledgers[0]?.open(SCOPE).take({ ids: [], leaseMs: 0, headroom: 0 });
    expect(looked).toMatchObject({ left: 0 });
    for (const ledger of ledgers) ledger.close();
  });

  it('replicas share a pace, and its halving', async () => {
    await client?.flushall();
    const [one, two] = openLedgers(2).map((ledger) =>
      ledger.open({ kind: 'pace', name: 'proxy', perSecond: 1, burst: 60 }),
    );
    const send = { ids: Array.from({ length: 50 }, (_, n) => `${n}`), leaseMs: 0, headroom: 0 };
    expect((await one?.take(send))?.granted).toBe(50);
    const second = await two?.take(send);
    // Slow enough that little refills meanwhile, however busy the machine is.
    expect(second?.granted).toBeGreaterThanOrEqual(10);
    expect(second?.granted).toBeLessThan(20);
    await one?.land({ id: '1', quota: null, blockMs: 1_000 });
    const slowed = await two?.take(send);
    expect(slowed?.granted).toBe(0);
    expect(slowed?.startsInMs(9)).toBeGreaterThan(15_000);
  });

  it('everything ends by itself, and no key says what it is of', async () => {
    await client?.flushall();
    const [ledger] = openLedgers(1);
    await ledger?.open(SCOPE).take({ ids: ['r0.1', 'r0.2'], leaseMs: 1, headroom: 0 });
    await ledger
      ?.open({ kind: 'pace', name: 'p', perSecond: 1, burst: 1 })
      .take({ ids: ['1'], leaseMs: 0, headroom: 0 });
    const keys = (await client?.keys('*')) ?? [];
    // Two accounts and the epoch, and perhaps already the replicas.
    expect(keys.length).toBeGreaterThanOrEqual(3);
    for (const key of keys) {
      expect(await client?.pttl(key), key).toBeGreaterThan(0);
      expect(key).not.toContain('search');
    }
    ledger?.close();
  });

  it('the script is sent again to a server that has forgotten it', async () => {
    const store = openRedisStore();
    const read = () => store.compareAndSet('service', 'account', { epoch: null, version: '', next: null });
    const { epoch } = await read();
    await client?.script('FLUSH');
    expect((await read()).epoch).toBe(epoch);
  });
});
