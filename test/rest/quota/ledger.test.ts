import { describe, expect, it } from 'vitest';
import type { WindowScope } from '../../../subgraphs/rest/quota/account.js';
import { createLedger } from '../../../subgraphs/rest/quota/ledger.js';
import { createVirtualClock } from '../support/virtual-clock.js';

/** Guards that no account with counted calls is evicted, however many keys strangers invent. */

const SECOND = 1_000;
const MOST = 10_000;
const scopeOf = (key: number): WindowScope => ({ kind: 'window', name: `key ${key}`, limit: 1, windowMs: 60 * SECOND });

function openLedger() {
  const clock = createVirtualClock();
  const ledger = createLedger(clock, null);
  let calls = 0;
  /** Makes one call with each of these keys; returns how many were granted. */
  const spend = async (keys: readonly number[]) => {
    let granted = 0;
    for (const key of keys) {
      calls += 1;
      if (!ledger.hasRoomFor(scopeOf(key))) continue;
      const account = ledger.open(scopeOf(key));
      const grant = await account.take({ ids: [`r.${calls}`], leaseMs: SECOND, headroom: 0 });
      await account.land({ id: `r.${calls}`, quota: null, blockMs: null });
      granted += grant.granted;
    }
    return granted;
  };
  return { clock, ledger, spend };
}

const keys = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n);

describe('ten thousand accounts', () => {
  it('in which calls count are all remembered: the newcomer is refused, and the first key does not spend twice', async () => {
    const { spend } = openLedger();
    expect(await spend(keys(MOST))).toBe(MOST);
    expect(await spend([MOST])).toBe(0);
    expect(await spend([0])).toBe(0);
  });

  it('make room for a newcomer as soon as nothing counts in one of them, whichever it is', async () => {
    const { clock, spend } = openLedger();
    await spend(keys(MOST - 1));
    await clock.advance(30 * SECOND);
    await spend([MOST]);
    await clock.advance(31 * SECOND);
    expect(await spend(keys(10, MOST + 1))).toBe(10);
    expect(await spend([MOST])).toBe(0);
  });

  it('shut out nothing that is not of a caller’s key', async () => {
    const { ledger, spend } = openLedger();
    await spend(keys(MOST));
    const account = ledger.open({ kind: 'pace', name: 'proxy', perSecond: 30, burst: 60 });
    expect(await account.take({ ids: ['r.1'], leaseMs: 0, headroom: 0 })).toMatchObject({ granted: 1 });
    expect(account.matters()).toBe(true);
  });
});
