import { describe, expect, it } from 'vitest';
import type { QuotaBook } from '../../../subgraphs/rest/quota/book.js';
import type { RemoteQuota } from '../../../subgraphs/rest/quota/remote-quota.js';
import type { PaceScope, WindowScope } from '../../../subgraphs/rest/quota/scope.js';
import { createSharedBook } from '../../../subgraphs/rest/quota/shared-book.js';
import { createVirtualAccounts, type VirtualAccounts } from '../support/virtual-accounts.js';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.js';

const SECOND = 1_000;
const SCOPE: WindowScope = { kind: 'window', name: 'search', limit: 60, windowMs: 60 * SECOND };
const PACE: PaceScope = { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 };

/** The accounts behind a line that a test can cut. */
function cuttable(accounts: VirtualAccounts): RemoteQuota & { cut: boolean; late: number } {
  const line = { cut: false, late: 0 };
  return new Proxy(Object.assign(line, accounts), {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (!line.cut && line.late === 0) return value.apply(target, args);
        line.late = Math.max(0, line.late - 1);
        return Promise.reject(new Error('away'));
      };
    },
  });
}

interface Replica {
  readonly book: QuotaBook;
  /** Cut: nothing comes through. Late: so many of the next commands do not. */
  readonly line: { cut: boolean; late: number };
  /** Takes and lands at once as many of `count` calls as it may; how many. */
  spend(count: number): Promise<number>;
}

async function openReplicas(count = 3) {
  const clock: VirtualClock = createVirtualClock();
  const accounts = createVirtualAccounts(() => clock.monotonicMs());
  const replicas = Array.from({ length: count }, (_, n): Replica => {
    const line = cuttable(accounts);
    const book = createSharedBook({ remote: line, clock, service: 'service', replica: `r${n}` });
    let ids = 0;
    const spend = async (wanted: number) => {
      const all = Array.from({ length: wanted }, () => {
        ids += 1;
        return `r${n}.${ids}`;
      });
      let spent = 0;
      for (let rest = all; ; ) {
        const { flying, reserved } = await book.take(SCOPE, { ids: rest, leaseMs: 10 * SECOND, headroom: 0 });
        for (const id of rest.slice(0, flying)) await book.land(SCOPE, { id, quota: null, blockMs: 0 });
        spent += flying;
        rest = rest.slice(flying, flying + reserved);
        if (flying === 0 || rest.length === 0) return spent;
      }
    };
    return { book, line, spend };
  });
  // Until everybody who may be there has had time to show up.
  await clock.advance(20 * SECOND);
  const spendAll = async (wanted: number) => {
    let sum = 0;
    for (const replica of replicas) sum += await replica.spend(wanted);
    return sum;
  };
  const cut = (is: boolean) => {
    for (const { line } of replicas) line.cut = is;
  };
  return { clock, accounts, replicas, spendAll, cut, alone: () => replicas.filter(({ book }) => book.alone).length };
}

describe('replicas that share their accounts', () => {
  it('spend what one alone would', async () => {
    const { spendAll, alone } = await openReplicas();
    expect(await spendAll(50)).toBe(60);
    expect(alone()).toBe(0);
  });

  it('take a late answer for no loss: whoever counted alone for it would spend what the others spend too', async () => {
    const { replicas, spendAll, alone } = await openReplicas();
    for (const { line } of replicas.slice(0, 1)) line.late = 2;
    expect(await spendAll(50)).toBe(60);
    expect(alone()).toBe(0);
  });

  it('tell a landing again that was late, so that nobody counts alone for it', async () => {
    const { replicas, spendAll, alone } = await openReplicas();
    const [one] = replicas;
    const ids = ['r0.first', 'r0.second'];
    await one?.book.take(SCOPE, { ids, leaseMs: 10 * SECOND, headroom: 0 });
    for (const id of ids) {
      if (one !== undefined) one.line.late = 2;
      await one?.book.land(SCOPE, { id, quota: null, blockMs: 0 });
    }
    expect(alone()).toBe(0);
    expect(await spendAll(60)).toBe(58);
  });

  it('use nothing of an answer that comes when they already count alone', async () => {
    const clock = createVirtualClock();
    const accounts = createVirtualAccounts(() => clock.monotonicMs());
    let answer = () => {};
    const remote: RemoteQuota = {
      ...accounts,
      async takeWindow(...parts) {
        const taken = await accounts.takeWindow(...parts);
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return taken;
      },
      landWindow: () => Promise.reject(new Error('away')),
    };
    const book = createSharedBook({ remote, clock, service: 'service', replica: 'r0' });
    const ids = Array.from({ length: 60 }, (_, n) => `r0.${n}`);
    const taking = book.take(SCOPE, { ids, leaseMs: SECOND, headroom: 0 });
    await book.land(SCOPE, { id: 'r0.sent', quota: null, blockMs: 0 });
    expect(book.alone).toBe(true);
    answer();
    const { flying, reserved } = await taking;
    expect(flying + reserved).toBe(14);
    book.close();
  });

  it('go on with their parts of the rest when the accounts are lost, and together stay within the limit', async () => {
    const { replicas, spendAll, cut, clock, alone } = await openReplicas();
    expect(await replicas[0]?.spend(20)).toBe(20);
    await clock.advance(2 * SECOND);
    cut(true);
    const parts = await spendAll(60);
    expect(parts).toBeGreaterThanOrEqual(30);
    expect(parts).toBeLessThanOrEqual(40);
    expect(alone()).toBe(3);
    await clock.advance(62 * SECOND);
    const nextWindow = await spendAll(60);
    expect(nextWindow).toBe(60);
  });

  it('divide what nobody held among those who were seen to spend, and leave their parts to those who were not', async () => {
    const { replicas, cut, clock } = await openReplicas();
    const [one, two, three] = replicas;
    await one?.spend(10);
    await two?.spend(2);
    await clock.advance(2 * SECOND);
    cut(true);
    // A third of the window is left to the one who may know of nothing: 28 calls are to be divided by two.
    expect(await one?.spend(60)).toBe(14);
    expect(await two?.spend(60)).toBe(14);
    expect(await three?.spend(60)).toBe(20);
  });

  it('share again within two seconds of its return, when each has told what it spent', async () => {
    const { replicas, spendAll, cut, clock, alone } = await openReplicas();
    cut(true);
    expect(await spendAll(5)).toBe(15);
    await clock.advance(10 * SECOND);
    cut(false);
    await clock.advance(2 * SECOND);
    expect(alone()).toBe(0);
    expect(await replicas[0]?.spend(60)).toBe(45);
  });

  it('count what was sent meanwhile and is not answered when they share again, and nothing that was given back', async () => {
    const { replicas, cut, clock, alone } = await openReplicas();
    const [one, two] = replicas;
    const ids = ['r0.in flight', 'r0.reserved', 'r0.given back'];
    const ask = { ids, leaseMs: 20 * SECOND, headroom: 0 };
    await one?.book.take(SCOPE, { ...ask, ids: ids.slice(2) });
    cut(true);
    expect(await one?.book.take(SCOPE, { ...ask, ids: ids.slice(0, 2) })).toMatchObject({ flying: 1, reserved: 1 });
    await one?.book.drop(SCOPE, ids.slice(2));
    await clock.advance(3 * SECOND);
    cut(false);
    await clock.advance(2 * SECOND);
    expect(alone()).toBe(0);
    expect(await two?.spend(60)).toBe(58);
  });

  it('tell each other what the service said while they were alone', async () => {
    const { clock, replicas, cut, alone } = await openReplicas();
    const [one, other] = replicas;
    for (const { spend } of replicas) await spend(1);
    cut(true);
    await one?.book.take(SCOPE, { ids: ['r0.refused'], leaseMs: 10 * SECOND, headroom: 0 });
    const quota = { limit: 60, remaining: 0, resetSeconds: 40 };
    await one?.book.land(SCOPE, { id: 'r0.refused', quota, blockMs: 41 * SECOND });
    cut(false);
    await clock.advance(5 * SECOND);
    expect(alone()).toBe(0);
    const taken = await other?.book.take(SCOPE, { ids: ['r1.next'], leaseMs: 60 * SECOND, headroom: 0 });
    expect(taken).toMatchObject({ flying: 0, blockedMs: 36 * SECOND });
  });

  it('notice that the accounts are lost again a moment after they share', async () => {
    const { clock, accounts, replicas, cut, alone } = await openReplicas();
    const [one] = replicas;
    cut(true);
    await one?.book.take(SCOPE, { ids: ['r0.refused'], leaseMs: 10 * SECOND, headroom: 0 });
    await one?.book.land(SCOPE, { id: 'r0.refused', quota: null, blockMs: 41 * SECOND });
    cut(false);
    while (alone() > 0) await clock.advance(SECOND / 100);
    accounts.flush();
    const taken = await one?.book.take(SCOPE, { ids: ['r0.next'], leaseMs: 60 * SECOND, headroom: 0 });
    expect(taken).toMatchObject({ flying: 0, reserved: 0 });
    expect(taken?.blockedMs).toBeGreaterThan(38 * SECOND);
  });

  it('share a pace again, also one that nobody uses meanwhile', async () => {
    const { replicas, cut, clock, alone } = await openReplicas();
    cut(true);
    await replicas[0]?.book.take(PACE, { ids: ['r0.1'], leaseMs: 0, headroom: 0 });
    expect(alone()).toBe(1);
    cut(false);
    await clock.advance(2 * SECOND);
    expect(alone()).toBe(0);
  });

  it('take no more than their parts while one of them is still cut off', async () => {
    const { replicas, cut, clock } = await openReplicas();
    const [one, , three] = replicas;
    cut(true);
    for (const replica of replicas) await replica.spend(1);
    cut(false);
    if (three !== undefined) three.line.cut = true;
    await clock.advance(5 * SECOND);
    expect(await one?.spend(60)).toBe(19);
    expect(await three?.spend(60)).toBe(19);
  });

  it('remember what the accounts have forgotten', async () => {
    const { replicas, accounts, spendAll, clock } = await openReplicas();
    await spendAll(15);
    await clock.advance(2 * SECOND);
    accounts.flush();
    const spent = await spendAll(60);
    expect(45 + spent).toBeLessThanOrEqual(60);
    await clock.advance(5 * SECOND);
    expect(45 + spent + ((await replicas[0]?.spend(60)) ?? 0)).toBe(60);
  });

  it('stay within a limit that they cannot divide evenly when they have seen nothing of the account', async () => {
    const { replicas, cut } = await openReplicas();
    cut(true);
    const scope = { ...SCOPE, limit: 20 };
    const taken = await Promise.all(
      replicas.map(({ book }, n) =>
        book.take(scope, {
          ids: Array.from({ length: 20 }, (_, call) => `r${n}.${call}`),
          leaseMs: SECOND,
          headroom: 0,
        }),
      ),
    );
    expect(taken.map(({ flying, reserved }) => flying + reserved)).toEqual([6, 6, 6]);
  });

  it('find out a limit that nobody knows, although they are alone', async () => {
    const { replicas, cut } = await openReplicas();
    cut(true);
    const taken = await replicas[0]?.book.take(
      { ...SCOPE, limit: null },
      { ids: ['r0.1', 'r0.2'], leaseMs: SECOND, headroom: 0 },
    );
    expect(taken).toMatchObject({ flying: 1, reserved: 0 });
  });

  it('keep what they hold: a reserved call goes out although the accounts are lost', async () => {
    const { replicas, cut } = await openReplicas();
    const [one] = replicas;
    const ids = Array.from({ length: 10 }, (_, n) => `r0.held${n}`);
    const ask = { ids, leaseMs: 10 * SECOND, headroom: 0 };
    const taken = await one?.book.take(SCOPE, ask);
    expect(taken).toMatchObject({ flying: 6, reserved: 4 });
    cut(true);
    for (const id of ids.slice(0, 6)) await one?.book.land(SCOPE, { id, quota: null, blockMs: 0 });
    const later = await one?.book.take(SCOPE, { ...ask, ids: ids.slice(6) });
    expect((later?.flying ?? 0) + (later?.reserved ?? 0)).toBe(4);
  });

  it('that were never heard of each keep to a quarter', async () => {
    const clock = createVirtualClock();
    const line = cuttable(createVirtualAccounts(() => clock.monotonicMs()));
    line.cut = true;
    const book = createSharedBook({ remote: line, clock, service: 'service', replica: 'r0' });
    const ids = Array.from({ length: 60 }, (_, n) => `r0.${n}`);
    const { flying, reserved } = await book.take(SCOPE, { ids, leaseMs: SECOND, headroom: 0 });
    expect(flying + reserved).toBe(15);
    book.close();
    await clock.advance(5 * SECOND);
    expect(clock.pending).toBe(0);
  });

  it('leave nothing locked when one dies: what it held is free when its callers’ time is over', async () => {
    const { replicas, clock } = await openReplicas();
    const [dying, other] = replicas;
    const idsOf = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}.held${n}`);
    await dying?.book.take(SCOPE, { ids: idsOf('r0', 30), leaseMs: 3 * SECOND, headroom: 0 });
    dying?.book.close();
    if (dying !== undefined) dying.line.cut = true;
    const ask = { ids: idsOf('r1', 60), leaseMs: 10 * SECOND, headroom: 0 };
    expect(await other?.book.take(SCOPE, ask)).toMatchObject({ flying: 0, reserved: 30 });
    await clock.advance(3 * SECOND);
    // The six that it had sent may have been counted by the service, so they count here too.
    expect(await other?.book.take(SCOPE, ask)).toMatchObject({ flying: 6, reserved: 48 });
    await other?.book.drop(SCOPE, ask.ids);
    await clock.advance(61 * SECOND);
    expect(await other?.spend(60)).toBe(60);
  });

  it('divide a pace when it is lost', async () => {
    const { replicas, cut, clock } = await openReplicas();
    const [one] = replicas;
    const draw = async () =>
      (await one?.book.take(PACE, { ids: Array.from({ length: 100 }, (_, n) => `${n}`), leaseMs: 0, headroom: 0 }))
        ?.flying;
    expect(await draw()).toBe(60);
    cut(true);
    expect(await draw()).toBe(0);
    await clock.advance(SECOND);
    expect(await draw()).toBe(10);
    cut(false);
    await clock.advance(SECOND);
    expect(await draw()).toBeGreaterThan(30);
  });
});
