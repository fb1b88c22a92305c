import { describe, expect, it } from 'vitest';
import type { PaceScope } from '../../../subgraphs/rest/quota/account.js';
import { createSharedLedger } from '../../../subgraphs/rest/quota/ledger.js';
import { cuttable, land, openReplicas, SCOPE, SECOND } from '../support/shared-replicas.js';
import { createVirtualClock } from '../support/virtual-clock.js';
import { createVirtualQuotaStore } from '../support/virtual-quota-store.js';

const PACE: PaceScope = { kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 };

describe('replicas that share their accounts', () => {
  it('spend what one alone would', async () => {
    const { spendAll, local } = await openReplicas();
    expect(await spendAll(50)).toBe(60);
    expect(local()).toBe(0);
  });

  it('replicas that share their accounts take a late response for no loss: whoever counted alone for it would spend what the others spend too', async () => {
    const { replicas, spendAll, local } = await openReplicas();
    for (const { line } of replicas.slice(0, 1)) line.late = 2;
    expect(await spendAll(50)).toBe(60);
    expect(local()).toBe(0);
  });

  it('tell a landing again that was late, so that nobody counts alone for it', async () => {
    const { replicas, spendAll, local } = await openReplicas();
    const [one] = replicas;
    const ids = ['r0.first', 'r0.second'];
    await one?.ledger.open(SCOPE).take({ ids, leaseMs: 10 * SECOND, headroom: 0 });
    for (const id of ids) {
      if (one !== undefined) one.line.late = 2;
      await one?.ledger.open(SCOPE).land({ id, quota: null, blockMs: null });
    }
    expect(local()).toBe(0);
    expect(await spendAll(60)).toBe(58);
  });

  it('replicas that share their accounts go on with their parts of the rest when the accounts are lost, and together stay within the limit', async () => {
    const { replicas, spendAll, cut, clock, local } = await openReplicas();
    expect(await replicas[0]?.spend(20)).toBe(20);
    await clock.advance(2 * SECOND);
    cut(true);
    const parts = await spendAll(60);
    expect(parts).toBeGreaterThanOrEqual(30);
    expect(parts).toBeLessThanOrEqual(40);
    expect(local()).toBe(3);
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
    // A third of the window stays with the replica that may know of nothing; the other 28 calls are divided by two.
    expect(await one?.spend(60)).toBe(14);
    expect(await two?.spend(60)).toBe(14);
    expect(await three?.spend(60)).toBe(20);
  });

  it('share again within two seconds of its return, when each has told what it spent', async () => {
    const { replicas, spendAll, cut, clock, local } = await openReplicas();
    cut(true);
    expect(await spendAll(5)).toBe(15);
    await clock.advance(10 * SECOND);
    cut(false);
    await clock.advance(2 * SECOND);
    expect(local()).toBe(0);
    expect(await replicas[0]?.spend(60)).toBe(45);
  });

  it('count what was sent meanwhile and is not answered when they share again, and nothing that was given back', async () => {
    const { replicas, cut, clock, local } = await openReplicas();
    const [one, two] = replicas;
    const ids = ['r0.in flight', 'r0.reserved', 'r0.given back'];
    const send = { ids, leaseMs: 20 * SECOND, headroom: 0 };
    await one?.ledger.open(SCOPE).take({ ...send, ids: ids.slice(2) });
    cut(true);
    expect(await one?.ledger.open(SCOPE).take({ ...send, ids: ids.slice(0, 2) })).toMatchObject({
      granted: 1,
      reserved: 1,
    });
    await one?.ledger.open(SCOPE).drop(ids.slice(2));
    await clock.advance(3 * SECOND);
    cut(false);
    await clock.advance(2 * SECOND);
    expect(local()).toBe(0);
    expect(await two?.spend(60)).toBe(58);
  });

  it('tell each other what the service said while they were alone', async () => {
    const { clock, replicas, cut, local } = await openReplicas();
    const [one, other] = replicas;
    for (const { spend } of replicas) await spend(1);
    cut(true);
    const quota = { limit: 60, remaining: 0, resetSeconds: 40 };
    await land(one, 'r0.refused', { quota, blockMs: 40 * SECOND });
    cut(false);
    await clock.advance(5 * SECOND);
    expect(local()).toBe(0);
    const taken = await other?.ledger.open(SCOPE).take({ ids: ['r1.next'], leaseMs: 60 * SECOND, headroom: 0 });
    expect(taken).toMatchObject({ granted: 0, blockedMs: 36 * SECOND });
  });

  it('notice that the accounts are lost again a moment after they share', async () => {
    const { clock, store, replicas, cut, local } = await openReplicas();
    const [one] = replicas;
    cut(true);
    await land(one, 'r0.refused', { quota: null, blockMs: 40 * SECOND });
    cut(false);
    while (local() > 0) await clock.advance(SECOND / 100);
    store.flush();
    const taken = await one?.ledger.open(SCOPE).take({ ids: ['r0.next'], leaseMs: 60 * SECOND, headroom: 0 });
    expect(taken).toMatchObject({ granted: 0, reserved: 0 });
    expect(taken?.blockedMs).toBeGreaterThan(38 * SECOND);
  });

  it('share a pace again, also one that nobody uses meanwhile', async () => {
    const { replicas, cut, clock, local } = await openReplicas();
    cut(true);
    await replicas[0]?.ledger.open(PACE).take({ ids: ['r0.1'], leaseMs: 0, headroom: 0 });
    expect(local()).toBe(1);
    await clock.advance(2 * SECOND);
    expect(local()).toBe(3);
    cut(false);
    await clock.advance(2 * SECOND);
    expect(local()).toBe(0);
  });

  it('replicas that share their accounts keep to their shares as soon as a heartbeat finds the store away, also in accounts that they never used', async () => {
    const { replicas, cut, clock } = await openReplicas();
    const [one, two, three] = replicas;
    cut(true);
    expect(await one?.spend(1)).toBe(1);
    await clock.advance(2 * SECOND);
    cut(false);
    // One has merged what it counted and waits for the others, which have not used the account yet.
    expect(await two?.spend(60)).toBe(20);
    expect(await three?.spend(60)).toBe(20);
    expect(await one?.spend(60)).toBe(19);
  });

  it('spend, once the store is back, nothing that others have spent: neither whoever shares already nor whoever does not yet', async () => {
    const { replicas, clock, local } = await openReplicas();
    const [one, two] = replicas;
    await one?.spend(1);
    await clock.advance(2 * SECOND);
    if (one !== undefined) one.line.cut = true;
    expect(await one?.spend(1)).toBe(1);
    if (one !== undefined) one.line.cut = false;
    // With its next heartbeat it merges, and it shares again once it has seen a heartbeat of each of the others.
    await clock.advance(2.1 * SECOND);
    // The others never lost the store and still share everything, which is all but the two calls of one.
    expect(await two?.spend(60)).toBe(58);
    expect(local()).toBe(1);
    expect(await one?.spend(60)).toBe(0);
  });

  it('replicas that share their accounts take an account that is lost with the store for lost, and an equal part of it where they have never used it', async () => {
    const { replicas, store, clock } = await openReplicas();
    const [one, two, three] = replicas;
    expect(await one?.spend(30)).toBe(30);
    await clock.advance(SECOND);
    store.flush();
    const requested = two?.line.commands ?? 0;
    // No replica takes the empty account for a new one. One that spent more than its share exceeds the limit by that.
    expect(await two?.spend(60)).toBe(20);
    expect((two?.line.commands ?? 0) - requested).toBe(1);
    expect(await three?.spend(60)).toBe(20);
    expect(await one?.spend(60)).toBe(0);
  });

  it('notice that an account was evicted, and remember it', async () => {
    const { replicas, store, clock, spendAll } = await openReplicas();
    expect(await spendAll(15)).toBe(45);
    await clock.advance(2 * SECOND);
    store.evict();
    expect(await replicas[0]?.spend(60)).toBe(5);
    await clock.advance(5 * SECOND);
    expect(await spendAll(60)).toBe(10);
  });

  it('replicas that share their accounts take no more than their parts while one of them is still cut off', async () => {
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
    const { replicas, store, spendAll, clock } = await openReplicas();
    await spendAll(15);
    await clock.advance(2 * SECOND);
    store.flush();
    const spent = await spendAll(60);
    expect(45 + spent).toBeLessThanOrEqual(60);
    await clock.advance(5 * SECOND);
    expect(45 + spent + ((await replicas[0]?.spend(60)) ?? 0)).toBe(60);
  });

  it('replicas that share their accounts stay within a limit that they cannot divide evenly when they have seen nothing of the account', async () => {
    const { replicas, cut } = await openReplicas();
    cut(true);
    const scope = { ...SCOPE, limit: 20 };
    const taken = await Promise.all(
      replicas.map(({ ledger }, n) =>
        ledger.open(scope).take({
          ids: Array.from({ length: 20 }, (_, call) => `r${n}.${call}`),
          leaseMs: SECOND,
          headroom: 0,
        }),
      ),
    );
    expect(taken.map(({ granted, reserved }) => granted + reserved)).toEqual([6, 6, 6]);
  });

  it('find out a limit that nobody knows, although they are alone', async () => {
    const { replicas, cut } = await openReplicas();
    cut(true);
    const account = replicas[0]?.ledger.open({ ...SCOPE, limit: null });
    const taken = await account?.take({ ids: ['r0.1', 'r0.2'], leaseMs: SECOND, headroom: 0 });
    expect(taken).toMatchObject({ granted: 1, reserved: 0 });
  });

  it('replicas that share their accounts keep what they hold: a reserved call goes out although the accounts are lost', async () => {
    const { replicas, cut } = await openReplicas();
    const [one] = replicas;
    const ids = Array.from({ length: 10 }, (_, n) => `r0.held${n}`);
    const send = { ids, leaseMs: 10 * SECOND, headroom: 0 };
    const taken = await one?.ledger.open(SCOPE).take(send);
    expect(taken).toMatchObject({ granted: 6, reserved: 4 });
    cut(true);
    for (const id of ids.slice(0, 6)) await one?.ledger.open(SCOPE).land({ id, quota: null, blockMs: null });
    const later = await one?.ledger.open(SCOPE).take({ ...send, ids: ids.slice(6) });
    expect((later?.granted ?? 0) + (later?.reserved ?? 0)).toBe(4);
  });

  it('that were never heard of each keep to a quarter', async () => {
    const clock = createVirtualClock();
    const line = cuttable(createVirtualQuotaStore(() => clock.monotonicMs()));
    line.cut = true;
    const ledger = createSharedLedger({ store: line, clock, service: 'service', replica: 'r0' });
    const ids = Array.from({ length: 60 }, (_, n) => `r0.${n}`);
    const { granted, reserved } = await ledger.open(SCOPE).take({ ids, leaseMs: SECOND, headroom: 0 });
    expect(granted + reserved).toBe(15);
    ledger.close();
    await clock.advance(5 * SECOND);
    expect(clock.pending).toBe(0);
  });

  it('share as soon as they meet when the store is there a moment late, if they have done nothing before', async () => {
    const clock = createVirtualClock();
    const store = createVirtualQuotaStore(() => clock.monotonicMs());
    const lines = [cuttable(store), cuttable(store)];
    for (const line of lines) line.cut = true;
    const ledgers = lines.map((line, n) =>
      createSharedLedger({ store: line, clock, service: 'service', replica: `r${n}` }),
    );
    await clock.advance(0.1 * SECOND);
    expect(ledgers.map(({ isLocalFallback }) => isLocalFallback)).toEqual([true, true]);
    // The first replica gets a request and spends its quarter.
    const ids = (replica: string) => Array.from({ length: 60 }, (_, n) => `${replica}.${n}`);
    const send = { leaseMs: SECOND, headroom: 0 };
    const early = await ledgers[0]?.open(SCOPE).take({ ids: ids('r0'), ...send });
    expect((early?.granted ?? 0) + (early?.reserved ?? 0)).toBe(15);
    for (const line of lines) line.cut = false;
    await clock.advance(0.5 * SECOND);
    expect(ledgers.map(({ isLocalFallback }) => isLocalFallback)).toEqual([true, false]);
    const later = await ledgers[1]?.open(SCOPE).take({ ids: ids('r1'), ...send });
    expect((later?.granted ?? 0) + (later?.reserved ?? 0)).toBe(45);
    for (const ledger of ledgers) ledger.close();
  });

  it('leave nothing locked when one dies: what it held is free when its callers’ time is over', async () => {
    const { replicas, clock } = await openReplicas();
    const [dying, other] = replicas;
    const idsOf = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}.held${n}`);
    await dying?.ledger.open(SCOPE).take({ ids: idsOf('r0', 30), leaseMs: 3 * SECOND, headroom: 0 });
    dying?.ledger.close();
    if (dying !== undefined) dying.line.cut = true;
    const send = { ids: idsOf('r1', 60), leaseMs: 10 * SECOND, headroom: 0 };
    expect(await other?.ledger.open(SCOPE).take(send)).toMatchObject({ granted: 0, reserved: 30 });
    await clock.advance(3 * SECOND);
    // The service may have counted the six calls that the other had sent, so they count here too.
    expect(await other?.ledger.open(SCOPE).take(send)).toMatchObject({ granted: 6, reserved: 48 });
    await other?.ledger.open(SCOPE).drop(send.ids);
    await clock.advance(61 * SECOND);
    expect(await other?.spend(60)).toBe(60);
  });

  it('divide a pace when it is lost', async () => {
    const { replicas, cut, clock } = await openReplicas();
    const [one] = replicas;
    const draw = async () =>
      (
        await one?.ledger
          .open(PACE)
          .take({ ids: Array.from({ length: 100 }, (_, n) => `${n}`), leaseMs: 0, headroom: 0 })
      )?.granted;
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
