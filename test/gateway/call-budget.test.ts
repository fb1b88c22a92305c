import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPolicy } from '../../gateway/callers/rate-limit.js';
import { createCallAllowance } from '../../kernel/operation.js';

describe('The calls of a caller in a minute', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const budgetOf = async () => {
    const policy = createPolicy('calls', 10, null);
    const take = (calls: number) => policy.take('caller', calls);
    await take(0);
    return {
      limit: 10,
      left: () => policy.known('caller')?.remaining ?? 10,
      spend: (calls: number) => void take(calls),
      open: () => take(0),
      resetSeconds: () => 60,
      setAside: () => false,
      end() {},
    };
  };

  it('are taken by all requests as they call, and what is not made is given back', async () => {
    const budget = await budgetOf();
    const [one, other] = [createCallAllowance(8, budget), createCallAllowance(8, budget)];
    for (let call = 0; call < 6; call += 1) expect(one.take()).toBe(true);
    expect([budget.left(), one.left(), other.left()]).toEqual([4, 2, 4]);
    one.giveBack();
    for (let call = 0; call < 5; call += 1) expect(other.take()).toBe(true);
    expect([other.take(), one.take(), one.left()]).toEqual([false, false, 0]);
  });

  it('are not what limits a request that has made all that it may', async () => {
    const budget = await budgetOf();
    const one = createCallAllowance(1, budget);
    expect([one.take(), one.take(), budget.left()]).toEqual([true, false, 9]);
  });

  it('are counted where all replicas count them, and anew in the next minute', async () => {
    const budget = await budgetOf();
    budget.spend(12);
    await budget.open();
    expect(budget.left()).toBe(0);
    vi.advanceTimersByTime(61_000);
    expect(budget.left()).toBe(10);
    await budget.open();
    expect(budget.left()).toBe(10);
  });
});
