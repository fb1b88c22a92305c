import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { LogChange, LogView, QuotaLog, Wanted } from '../../subgraphs/rest/ports/quota-log.js';
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
const inRedis = (one: Redis) =>
  createRedisQuotaLog(one, 'service', () => {
    epochs += 1;
    return `epoch ${epochs}`;
  });

const places: [string, () => QuotaLog][] = [['in this process', () => createVirtualQuotaLog(createVirtualClock())]];
if (client !== null) places.push(['in Redis', () => inRedis(client)]);

/** A change of a log whose calls count for a minute after they were answered. */
const change = (log: QuotaLog, scope: string, more: Omit<LogChange, 'countsMs'> = {}) =>
  log.change(scope, { countsMs: MINUTE, ...more });

const wanted = (ids: readonly string[], more: Partial<Wanted> = {}) => ({
  wanted: {
    calls: ids.map((id) => [id]),
    countsMs: 2 * MINUTE,
    limit: 60,
    remaining: 1000,
    leave: 0,
    mostInFlight: 8,
    ...more,
  },
});
const idsOf = (count: number, from = 'r0') => Array.from({ length: count }, (_, n) => `${from}.${n}`);
const gone = (id: string) => ({ id, countsMs: 0 });
const landed = (id: string) => ({ id, countsMs: MINUTE });

describe.each(places)('a log %s', (_place, open) => {
  let log: QuotaLog;
  beforeEach(async () => {
    await client?.flushall();
    log = open();
  });

  it('admits the first calls as long as fewer count, and fewer are in flight', async () => {
    const first = await change(log, 'key', wanted(idsOf(10)));
    expect(first).toMatchObject({ granted: 8, counted: 8, inFlight: 8 });
    expect(await change(log, 'key', { entries: idsOf(8).map(landed) })).toMatchObject({ counted: 8, inFlight: 0 });
    const others = await change(log, 'key', wanted(idsOf(5, 'r1'), { limit: 12, leave: 2 }));
    expect(others).toMatchObject({ granted: 2, counted: 10 });
    expect(await change(log, 'another', wanted(['r1.9']))).toMatchObject({ granted: 1, counted: 1 });
  });

  it('admits no more than headers leave beside those in flight, and none while the service refuses', async () => {
    const heard = { limit: 20, limitMs: MINUTE, remaining: 5, endsInMs: MINUTE, blockedMs: 0 };
    await change(log, 'key', { heard });
    expect(await change(log, 'key', wanted(idsOf(4)))).toMatchObject({ granted: 4 });
    expect(await change(log, 'key', wanted(idsOf(2, 'r1')))).toMatchObject({ granted: 1 });
    await change(log, 'key', { heard: { ...heard, remaining: 20, endsInMs: 2 * MINUTE, blockedMs: MINUTE } });
    expect(await change(log, 'key', wanted(idsOf(2, 'r2')))).toMatchObject({ granted: 0, counted: 5 });
  });

  it('tells whoever may not go when others stop counting', async () => {
    await change(log, 'key', { entries: [landed('r0.1'), { ...landed('r0.2'), countsMs: MINUTE / 2 }] });
    const { frees } = await change(log, 'key', wanted(['r0.3'], { limit: 2 }));
    expect(frees.map((ms) => Math.round(ms / 1000))).toEqual([30, 60]);
  });

  it('is changed once by a change that is repeated', async () => {
    for (let time = 0; time < 2; time += 1)
      expect(await change(log, 'key', wanted(idsOf(3), { limit: 4 }))).toMatchObject({ granted: 3, counted: 3 });
  });

  it('forgets what was given back, and counts bulk calls apart', async () => {
    await change(log, 'key', wanted(['r0.~1', 'r0.2', 'r0.~3']));
    expect(await change(log, 'key', { entries: [gone('r0.~1')] })).toMatchObject({ counted: 2, bulk: 1, inFlight: 2 });
  });

  it('admits all of a large call or none, and one larger than all alone', async () => {
    const large = (count: number, from: string) =>
      wanted([], { calls: [idsOf(count, from)], limit: 10, mostInFlight: 1000 });
    expect(await change(log, 'rows', large(11, 'large'))).toMatchObject({ granted: 1, counted: 11 });
    expect(await change(log, 'rows', large(2, 'small'))).toMatchObject({ granted: 0, counted: 11 });
    await change(log, 'rows', { entries: idsOf(11, 'large').map(gone) });
    expect(await change(log, 'rows', large(8, 'small'))).toMatchObject({ granted: 1 });
    expect(await change(log, 'rows', large(3, 'other'))).toMatchObject({ granted: 0, counted: 8 });
  });

  it('keeps the lowest remaining and the earliest end of a window, and takes a later one for the next', async () => {
    const hear = (remaining: number, endsInMs: number) =>
      change(log, 'key', { heard: { limit: 60, limitMs: 3 * MINUTE, remaining, endsInMs, blockedMs: 0 } });
    expect(await hear(9, 30_000)).toMatchObject({ limit: 60, remaining: 9 });
    expect(await hear(12, 31_000)).toMatchObject({ remaining: 9 });
    const { remaining, endsInMs } = await hear(20, 10_000);
    expect([remaining, Math.round(endsInMs / 1000)]).toEqual([9, 10]);
    expect(await hear(50, 60_000)).toMatchObject({ remaining: 50 });
  });

  it('keeps a refusal until the latest end that was named', async () => {
    const refuse = (blockedMs: number) =>
      change(log, 'key', { heard: { limit: null, limitMs: 0, remaining: null, endsInMs: 0, blockedMs } });
    await refuse(40_000);
    const { blockedMs, limit, remaining } = await refuse(4_000);
    expect([Math.round(blockedMs / 1000), limit, remaining]).toEqual([40, null, null]);
  });

  it('changes nothing for whoever knows another epoch', async () => {
    const { epoch } = await change(log, 'key');
    expect(await change(log, 'key', { ...wanted(['r0.1']), epoch })).toMatchObject({ epoch, granted: 1 });
    expect((await change(log, 'key', { ...wanted(['r0.2']), epoch: 'another' })).epoch).toBe(epoch);
    expect(await change(log, 'key')).toMatchObject({ counted: 1 });
  });
});

describe.runIf(client !== null)('the log in Redis', () => {
  const id = fc.nat({ max: 12 }).map((number) => `r0.${number % 3 === 0 ? '~' : ''}${number}`);
  const entry = fc.record({ id, countsMs: fc.constantFrom(0, MINUTE, 2 * MINUTE) });
  const bounds = { limit: fc.nat({ max: 12 }), leave: fc.nat({ max: 3 }), mostInFlight: fc.nat({ max: 8 }) };
  const calls = fc.array(fc.uniqueArray(id, { minLength: 1, maxLength: 3 }), { maxLength: 4 });
  const heard = fc.record({
    limit: fc.option(fc.nat({ max: 12 })),
    limitMs: fc.constant(MINUTE),
    remaining: fc.option(fc.nat({ max: 12 })),
    endsInMs: fc.constantFrom(MINUTE, 2 * MINUTE),
    blockedMs: fc.constantFrom(0, 0, 0, MINUTE),
  });
  const changes = fc.record({ entries: fc.array(entry, { maxLength: 3 }), heard, calls, bounds: fc.record(bounds) });

  it('does the same as the one in this process, whatever the changes', async () => {
    const same = fc.asyncProperty(fc.array(changes, { maxLength: 12 }), async (all) => {
      await client?.flushall();
      const logs = [createVirtualQuotaLog(createVirtualClock()), inRedis(client as Redis)];
      for (const one of all) {
        const { entries } = one;
        const asked = { entries, heard: one.heard, ...wanted([], { calls: one.calls, ...one.bounds }) };
        const [virtual, real] = await Promise.all(logs.map((log) => change(log, 'key', asked)));
        const comparable = ({ granted, counted, bulk, inFlight, limit, remaining }: LogView) => [
          granted,
          counted,
          bulk,
          inFlight,
          limit,
          remaining,
        ];
        expect(comparable(real as LogView)).toEqual(comparable(virtual as LogView));
      }
    });
    await fc.assert(same, { numRuns: 60, seed: 7 });
  });

  it('ends by itself, and no key says what it is of', async () => {
    await client?.flushall();
    const heard = { limit: 60, limitMs: MINUTE, remaining: 3, endsInMs: MINUTE, blockedMs: MINUTE };
    for (const one of [wanted(['r0.~1']), { heard }]) await change(inRedis(client as Redis), 'search', one);
    const keys = (await client?.keys('*')) ?? [];
    expect(keys).toHaveLength(6);
    for (const key of keys) {
      expect(await client?.pttl(key), key).toBeGreaterThan(0);
      expect(key).not.toContain('search');
    }
  });

  it('is changed by a server whose memory is full', async () => {
    const log = inRedis(client as Redis);
    expect(await change(log, 'key', wanted(['r0.1']))).toMatchObject({ granted: 1 });
    await client?.config('SET', 'maxmemory', '1');
    expect(await change(log, 'key', wanted(['r0.2']))).toMatchObject({ granted: 1, counted: 2 });
    await client?.config('SET', 'maxmemory', '0');
  });
});
