import { describe, expect, it } from 'vitest';
import { createLedger, type Landing } from '../../../subgraphs/rest/quota/ledger.js';
import type { WindowScope } from '../../../subgraphs/rest/quota/scopes.js';
import { createVirtualClock } from '../support/virtual-clock.js';
import { createVirtualQuotaLog } from '../support/virtual-quota-log.js';

const SECOND = 1_000;
const SCOPE: WindowScope = { kind: 'window', name: 'search', limit: 60, windowMs: 60 * SECOND };

/** Replicas that count in one log, each over a line that a test can cut or delay. */
async function openReplicas(count = 3, forMs = 20 * SECOND, isCut = false) {
  const clock = createVirtualClock();
  const log = createVirtualQuotaLog(clock);
  const replicas = Array.from({ length: count }, (_, n) => {
    const line = { cut: isCut, late: 0 };
    const reports: (string | null)[] = [];
    const change: typeof log.change = async (...args) => {
      if (line.cut) throw new Error('away');
      const view = await log.change(...args);
      if (line.late === 0) return view;
      line.late -= 1;
      // It was executed, but its caller never learns.
      throw new Error('late');
    };
    const onFallback = (reason: string | null) => reports.push(reason);
    const ledger = createLedger(clock, { log: { change }, replica: `r${n}`, onFallback });
    let ids = 0;
    const take = (scope: WindowScope = SCOPE, leaseMs = 10 * SECOND) => {
      ids += 1;
      return ledger.open(scope).take({ calls: [[`r${n}.${ids}`]], leaseMs, headroom: 0 });
    };
    /** Makes as many of these calls as are granted, each of which lands at once; returns how many. */
    const spend = async (wanted: number, said: Omit<Landing, 'ids'> = { quota: null, blockMs: null }) => {
      for (let spent = 0; spent < wanted; spent += 1) {
        if ((await take()).granted === 0) return spent;
        await ledger.open(SCOPE).land({ ids: [`r${n}.${ids}`], ...said });
      }
      return wanted;
    };
    return { ledger, line, reports, take, spend };
  });
  await clock.advance(forMs);
  const spendAll = async (wanted: number) => {
    let sum = 0;
    for (const { spend } of replicas) sum += await spend(wanted);
    return sum;
  };
  const cut = (is: boolean) => {
    for (const { line } of replicas) line.cut = is;
  };
  const local = () => replicas.filter(({ ledger }) => ledger.isLocalFallback).length;
  const [one, two, three] = replicas;
  if (one === undefined) throw new Error('There is at least one.');
  return { clock, log, replicas, one, two: two ?? one, three: three ?? one, spendAll, cut, local };
}

describe('replicas that share a log', () => {
  it('take a late response for no loss, and count its call once', async () => {
    const { one, spendAll, local } = await openReplicas();
    one.line.late = 2;
    expect(await one.spend(1)).toBe(1);
    expect(await spendAll(60)).toBe(59);
    expect(local()).toBe(0);
  });

  it('know what the service said to each of them', async () => {
    const { one, two, clock } = await openReplicas();
    await one.spend(1, { quota: { limit: 60, remaining: 0, resetSeconds: 40 }, blockMs: null });
    const grant = await two.take();
    expect(grant.granted).toBe(0);
    expect(grant.startsInMs(0)).toBe(41 * SECOND);
    await clock.advance(41 * SECOND);
    expect(await two.spend(1)).toBe(1);
  });

  it('take no place that another has heard to be gone since they looked', async () => {
    const { one, two } = await openReplicas();
    await two.spend(1);
    await one.spend(1, { quota: null, blockMs: 40 * SECOND });
    expect((await two.take()).granted).toBe(0);
    expect(await one.ledger.open(SCOPE).take({ calls: [['r0.x']], leaseMs: 1, headroom: 0 })).toMatchObject({
      granted: 0,
    });
  });

  it('leave nothing locked when one dies: its calls in flight count for a window more', async () => {
    const { one, two, clock } = await openReplicas(2);
    const scope = { ...SCOPE, limit: 1 };
    expect((await one.take(scope, 3 * SECOND)).granted).toBe(1);
    one.ledger.close();
    one.line.cut = true;
    await clock.advance(3 * SECOND + 61 * SECOND - 1);
    expect((await two.take(scope)).granted).toBe(0);
    await clock.advance(1);
    expect((await two.take(scope)).granted).toBe(1);
  });
});

describe('replicas that lose their log', () => {
  it('divide what was left, and in the next window all of it', async () => {
    const { one, spendAll, cut, clock, local } = await openReplicas();
    for (let number = 0; number < 30; number += 1) expect(await one.spend(1)).toBe(1);
    await spendAll(1);
    await clock.advance(2 * SECOND);
    cut(true);
    const rest = await spendAll(60);
    expect(rest).toBeGreaterThanOrEqual(24);
    expect(rest).toBeLessThanOrEqual(27);
    expect(local()).toBe(3);
    await clock.advance(62 * SECOND);
    expect(await spendAll(60)).toBe(60);
  });

  it('each take a quarter until they have met', async () => {
    const { one } = await openReplicas(1, 0, true);
    expect(await one.spend(60)).toBe(15);
  });

  it('each take a part of what headers leave', async () => {
    const { one, cut } = await openReplicas();
    await one.spend(1);
    cut(true);
    await one.spend(1, { quota: { limit: 60, remaining: 6, resetSeconds: 40 }, blockMs: null });
    const { granted } = await one.ledger
      .open(SCOPE)
      .take({ calls: [['a'], ['b'], ['c'], ['d']], leaseMs: SECOND, headroom: 0 });
    expect(granted).toBe(2);
  });

  it('make one call each where their share would be less than one', async () => {
    const { replicas, cut, clock } = await openReplicas();
    cut(true);
    const scope = { ...SCOPE, limit: 2 };
    expect(await Promise.all(replicas.map(async ({ take }) => (await take(scope)).granted))).toEqual([1, 1, 1]);
    await clock.advance(SECOND);
    expect(await Promise.all(replicas.map(async ({ take }) => (await take(scope)).granted))).toEqual([0, 0, 0]);
  });

  it('find out a limit that nobody knows with a single call', async () => {
    const { one, cut } = await openReplicas();
    cut(true);
    const account = one.ledger.open({ ...SCOPE, limit: null });
    expect(await account.take({ calls: [['r0.x'], ['r0.y']], leaseMs: SECOND, headroom: 0 })).toMatchObject({
      granted: 1,
    });
  });

  it('add what they did when it is back, and keep to their shares until all have had time for that', async () => {
    const { one, two, spendAll, cut, clock, local } = await openReplicas();
    cut(true);
    expect(await spendAll(5)).toBe(15);
    await clock.advance(10 * SECOND);
    cut(false);
    await clock.advance(SECOND);
    expect(local()).toBe(3);
    expect(await two.spend(60)).toBe(15);
    await clock.advance(6 * SECOND);
    expect(local()).toBe(0);
    expect(await one.spend(60)).toBe(60 - 15 - 15);
  });

  it('add it also to one that was emptied, at the next call', async () => {
    const { one, two, three, log, clock, spendAll, local } = await openReplicas();
    expect(await spendAll(15)).toBe(45);
    await clock.advance(2 * SECOND);
    log.flush();
    // Of the 15 that were left when each last looked.
    expect([await one.spend(60), await two.spend(60), await three.spend(60)]).toEqual([5, 5, 5]);
    await clock.advance(8 * SECOND);
    expect(local()).toBe(0);
    expect(await spendAll(60)).toBe(0);
  });

  it('report it once, and once that they share again', async () => {
    const { one, cut, clock } = await openReplicas();
    cut(true);
    await clock.advance(60 * SECOND);
    cut(false);
    await clock.advance(10 * SECOND);
    expect(one.reports).toEqual(['away', null]);
  });
});

describe('replicas that start', () => {
  it('share as soon as the log is there a moment late, if they have done nothing before', async () => {
    const { one, two, cut, clock } = await openReplicas(2, 100, true);
    expect(one.ledger.isLocalFallback).toBe(true);
    expect(await one.spend(60)).toBe(15);
    cut(false);
    await clock.advance(SECOND);
    expect([one.ledger.isLocalFallback, two.ledger.isLocalFallback]).toEqual([true, false]);
    expect(await two.spend(60)).toBe(45);
    expect(two.reports).toEqual([]);
  });

  it('take themselves for four until they have had ten seconds to show up, and for the most seen within a minute', async () => {
    const { one, three, cut, clock } = await openReplicas(3, 5 * SECOND);
    const shareIs = async (share: number) => {
      cut(true);
      await clock.advance(62 * SECOND);
      expect(await one.spend(60)).toBe(share);
      cut(false);
      await clock.advance(30 * SECOND);
    };
    await shareIs(15);
    await shareIs(20);
    three.ledger.close();
    await clock.advance(30 * SECOND);
    await shareIs(20);
    await clock.advance(60 * SECOND);
    await shareIs(30);
  });
});
