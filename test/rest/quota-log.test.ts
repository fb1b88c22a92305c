import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { RedisGuard } from '../../runtime/stores/redis.js';
import type { QuotaLog } from '../../subgraphs/rest/ports/quota-log.js';
import { createRedisQuotaLog } from '../../subgraphs/rest/ports/redis-quota-log.js';
import { startRedis } from '../auth/support/redis.js';
import { createVirtualClock } from './support/virtual-clock.js';
import { createVirtualQuotaLog } from './support/virtual-quota-log.js';

/** The log in this process and the one in Redis keep to the same rules. */

const MINUTE = 60_000;
const redis = await startRedis();
const client = redis === null ? null : new Redis(redis.url);
afterAll(async () => {
  client?.disconnect();
  await redis?.close();
});

let epochs = 0;
/** Waits as long as a busy machine takes; whether a script is known is the guard's part. */
const patient = (one: Redis): RedisGuard => ({
  reachable: true,
  run: (commands) => commands(one),
  script: ({ text }, keys, args) => one.eval(text, keys.length, ...keys, ...args),
});
const inRedis = (one: Redis) =>
  createRedisQuotaLog(patient(one), 'service', () => {
    epochs += 1;
    return `epoch ${epochs}`;
  });

const places: [string, () => QuotaLog][] = [['in this process', () => createVirtualQuotaLog(createVirtualClock())]];
if (client !== null) places.push(['in Redis', () => inRedis(client)]);

const wanted = (ids: readonly string[], more: { all?: boolean; most?: number; mostInFlight?: number } = {}) => ({
  wanted: {
    ids,
    all: false,
    most: 60,
    mostInFlight: 8,
    countsMs: MINUTE,
    fliesMs: MINUTE,
    reservedMs: MINUTE,
    ...more,
  },
});
const idsOf = (count: number, from = 'r0') => Array.from({ length: count }, (_, n) => `${from}.${n}`);
const gone = (id: string) => ({ id, countsMs: 0, fliesMs: 0 });
const landed = (id: string) => ({ id, countsMs: MINUTE, fliesMs: 0 });

describe.each(places)('a log %s', (_place, open) => {
  let log: QuotaLog;
  beforeEach(async () => {
    await client?.flushall();
    log = open();
  });

  it('admits the first calls as long as fewer count, and fewer are in flight', async () => {
    const first = await log.change('key', wanted(idsOf(10)));
    expect(first).toMatchObject({ granted: 8, places: 10, counted: 10, inFlight: 8 });
    expect(await log.change('key', { entries: idsOf(8).map(landed) })).toMatchObject({ counted: 10, inFlight: 0 });
    const others = await log.change('key', wanted(idsOf(5, 'r1'), { most: 12 }));
    expect(others).toMatchObject({ granted: 2, places: 2, counted: 12 });
    expect(await log.change('another', wanted(['r1.9']))).toMatchObject({ granted: 1, counted: 1 });
  });

  it('tells whoever gets no place when places come free', async () => {
    await log.change('key', { entries: [landed('r0.1'), { ...landed('r0.2'), countsMs: MINUTE / 2 }] });
    const { frees } = await log.change('key', wanted(['r0.3'], { most: 2 }));
    expect(frees.map((ms) => Math.round(ms / 1000))).toEqual([30, 60]);
  });

  it('gives a place that is reserved to the call whose turn it is', async () => {
    expect(await log.change('key', wanted(idsOf(3), { most: 3, mostInFlight: 1 }))).toMatchObject({
      granted: 1,
      places: 3,
    });
    const next = await log.change('key', wanted(['r0.new', 'r0.1', 'r0.2'], { most: 3, mostInFlight: 2 }));
    expect(next).toMatchObject({ granted: 1, places: 2, counted: 3, inFlight: 2 });
  });

  it('is changed once by a change that is repeated', async () => {
    for (let time = 0; time < 2; time += 1)
      expect(await log.change('key', wanted(idsOf(3), { most: 4 }))).toMatchObject({
        granted: 3,
        places: 3,
        counted: 3,
      });
  });

  it('forgets what was given back, and counts bulk calls apart', async () => {
    await log.change('key', wanted(['r0.~1', 'r0.2', 'r0.~3']));
    expect(await log.change('key', { entries: [gone('r0.~1')] })).toMatchObject({ counted: 2, bulk: 1, inFlight: 2 });
  });

  it('admits all of a large call or none, and one larger than all alone', async () => {
    const all = { all: true, most: 10, mostInFlight: 1000 };
    expect(await log.change('rows', wanted(idsOf(11, 'large'), all))).toMatchObject({ granted: 11 });
    expect(await log.change('rows', wanted(idsOf(2, 'small'), all))).toMatchObject({ granted: 0, counted: 11 });
    await log.change('rows', { entries: idsOf(11, 'large').map(gone) });
    expect(await log.change('rows', wanted(idsOf(8, 'small'), all))).toMatchObject({ granted: 8 });
    expect(await log.change('rows', wanted(idsOf(3, 'other'), all))).toMatchObject({ granted: 0, counted: 8 });
  });

  it('keeps the lowest remaining and the earliest end of a window, and takes a later one for the next', async () => {
    const hear = (remaining: number, endsInMs: number) =>
      log.change('key', { heard: { limit: 60, limitMs: 3 * MINUTE, remaining, endsInMs, blockedMs: 0 } });
    expect(await hear(9, 30_000)).toMatchObject({ limit: 60, remaining: 9 });
    expect(await hear(12, 31_000)).toMatchObject({ remaining: 9 });
    const { remaining, endsInMs } = await hear(20, 10_000);
    expect([remaining, Math.round(endsInMs / 1000)]).toEqual([9, 10]);
    expect(await hear(50, 60_000)).toMatchObject({ remaining: 50 });
  });

  it('keeps a refusal until the latest end that was named', async () => {
    const refuse = (blockedMs: number) =>
      log.change('key', { heard: { limit: null, limitMs: 0, remaining: null, endsInMs: 0, blockedMs } });
    await refuse(40_000);
    const { blockedMs, limit, remaining } = await refuse(4_000);
    expect([Math.round(blockedMs / 1000), limit, remaining]).toEqual([40, null, null]);
  });

  it('changes nothing for whoever knows another epoch', async () => {
    const { epoch } = await log.change('key', {});
    expect(await log.change('key', { ...wanted(['r0.1']), epoch })).toMatchObject({ epoch, granted: 1 });
    expect((await log.change('key', { ...wanted(['r0.2']), epoch: 'another' })).epoch).toBe(epoch);
    expect(await log.change('key', {})).toMatchObject({ counted: 1 });
  });
});

describe.runIf(client !== null)('the log in Redis', () => {
  const id = fc.nat({ max: 12 }).map((number) => `r0.${number % 3 === 0 ? '~' : ''}${number}`);
  const entry = fc.record({ id, countsMs: fc.constantFrom(0, MINUTE), fliesMs: fc.constantFrom(0, MINUTE) });
  const bounds = { most: fc.nat({ max: 12 }), mostInFlight: fc.nat({ max: 8 }), all: fc.boolean() };
  const asked = fc.record({ ids: fc.uniqueArray(id, { maxLength: 6 }), ...bounds });
  const change = fc.record({ entries: fc.array(entry, { maxLength: 3 }), asked });

  it('does the same as the one in this process, whatever the changes', async () => {
    const same = fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      await client?.flushall();
      const logs = [createVirtualQuotaLog(createVirtualClock()), inRedis(client as Redis)];
      for (const {
        entries,
        asked: { ids, ...more },
      } of changes) {
        const flying = entries.filter(({ countsMs, fliesMs }) => countsMs >= fliesMs);
        const views = await Promise.all(
          logs.map((log) => log.change('key', { entries: flying, ...wanted(ids, more) })),
        );
        const [one, other] = views.map(({ granted, counted, bulk, inFlight }) => ({
          granted,
          counted,
          bulk,
          inFlight,
        }));
        expect(one).toEqual(other);
      }
    });
    await fc.assert(same, { numRuns: 60, seed: 7 });
  });

  it('ends by itself, and no key says what it is of', async () => {
    await client?.flushall();
    const heard = { limit: 60, limitMs: MINUTE, remaining: 3, endsInMs: MINUTE, blockedMs: MINUTE };
    await inRedis(client as Redis).change('search', { ...wanted(['r0.~1']), heard });
    const keys = (await client?.keys('*')) ?? [];
    expect(keys).toHaveLength(7);
    for (const key of keys) {
      expect(await client?.pttl(key), key).toBeGreaterThan(0);
      expect(key).not.toContain('search');
    }
  });

  it('is changed by a server whose memory is full', async () => {
    const log = inRedis(client as Redis);
    expect(await log.change('key', wanted(['r0.1']))).toMatchObject({ granted: 1 });
    await client?.config('SET', 'maxmemory', '1');
    expect(await log.change('key', wanted(['r0.2']))).toMatchObject({ granted: 1, counted: 2 });
    await client?.config('SET', 'maxmemory', '0');
  });
});
