import { describe, expect, it } from 'vitest';
import type { QuotaStore } from '../../../subgraphs/rest/ports/ports.js';
import { createSharedLedger, HEARTBEAT_MS, Members, StoreLink } from '../../../subgraphs/rest/quota/ledger.js';
import { createVirtualClock } from '../support/virtual-clock.js';
import { createVirtualQuotaStore } from '../support/virtual-quota-store.js';

const SECOND = 1_000;

/** Replicas of one service that announce themselves in a store, which may be away. */
function open(count: number) {
  const clock = createVirtualClock();
  const store = createVirtualQuotaStore(() => clock.monotonicMs());
  const place = { away: false };
  const closed = new Set<Members>();
  const all = Array.from({ length: count }, (_, n) => {
    const line: QuotaStore = {
      async compareAndSet(...change) {
        if (place.away) throw new Error('away');
        return store.compareAndSet(...change);
      },
    };
    const members = new Members(new StoreLink({ store: line, clock, service: 'service', replica: `r${n}` }));
    const heartbeat = async () => {
      await members.writeHeartbeat().catch(() => {});
      if (!closed.has(members)) clock.after(HEARTBEAT_MS, () => void heartbeat());
    };
    void heartbeat();
    return { count: () => members.count(), close: () => closed.add(members) };
  });
  return { clock, place, all, counts: () => all.map((one) => one.count()) };
}

describe('replicas', () => {
  it('replicas take themselves for four until they have had ten seconds to show up, however long they cannot be asked', async () => {
    const { clock, place, counts } = open(2);
    place.away = true;
    await clock.advance(60 * SECOND);
    expect(counts()).toEqual([4, 4]);
    place.away = false;
    await clock.advance(9 * SECOND);
    expect(counts()).toEqual([4, 4]);
    await clock.advance(4 * SECOND);
    expect(counts()).toEqual([2, 2]);
  });

  it('replicas have ten seconds more when they could not be reached meanwhile, and no minute', async () => {
    const { clock, place, counts } = open(2);
    await clock.advance(2 * SECOND);
    place.away = true;
    await clock.advance(6 * SECOND);
    expect(counts()).toEqual([4, 4]);
    place.away = false;
    await clock.advance(14 * SECOND);
    expect(counts()).toEqual([2, 2]);
  });

  it('count one that is silent for a minute more: it may be slow, and not gone', async () => {
    const { clock, all } = open(3);
    await clock.advance(30 * SECOND);
    all[2]?.close();
    await clock.advance(59 * SECOND);
    expect(all[0]?.count()).toBe(3);
    await clock.advance(10 * SECOND);
    expect(all[0]?.count()).toBe(2);
  });
});

it('a replica that loses the store before its first ten seconds are over shares again then, and later within two', async () => {
  const clock = createVirtualClock();
  const stored = createVirtualQuotaStore(() => clock.monotonicMs());
  const place = { away: false };
  const store: QuotaStore = {
    compareAndSet: async (...change) =>
      place.away ? Promise.reject(new Error('away')) : stored.compareAndSet(...change),
  };
  const heard: (string | null)[] = [];
  const onFallback = (reason: string | null) => heard.push(reason);
  const ledger = createSharedLedger({ store, clock, service: 'service', replica: 'r0', onFallback });
  const account = ledger.open({ kind: 'window', name: 'search', limit: 60, windowMs: 60 * SECOND });
  const countLocally = async () => {
    place.away = true;
    await account.take({ ids: [`r0.${clock.monotonicMs()}`], leaseMs: SECOND, headroom: 0 });
    place.away = false;
    expect(ledger.isLocalFallback).toBe(true);
  };
  await clock.advance(3 * SECOND);
  await countLocally();
  await clock.advance(6 * SECOND);
  expect(ledger.isLocalFallback).toBe(true);
  await clock.advance(1.5 * SECOND);
  expect(ledger.isLocalFallback).toBe(false);
  await countLocally();
  await clock.advance(2 * SECOND);
  expect(ledger.isLocalFallback).toBe(false);
  // Once for each loss, however long the merge takes.
  expect(heard).toEqual(['away', null, 'away', null]);
  ledger.close();
});
