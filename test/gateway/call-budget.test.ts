import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCallBudget } from '../../gateway/callers/caller-limits.js';
import { createPolicy } from '../../gateway/callers/rate-limit.js';

describe('The calls of a caller in a minute', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const open = () => {
    const policy = createPolicy('calls', 10, null);
    const budget = () => createCallBudget(policy, ['caller'], ({ remaining }) => ({ left: String(remaining) }));
    /** What is left, as another request sees it. */
    const left = async () => (await policy.reserve('caller', 0)).remaining;
    return { budget, left };
  };

  it('The calls of a caller in a minute are set aside once, however often a request asks for as many', async () => {
    const { budget, left } = open();
    const one = budget();
    expect([await one.reserve(6), await one.reserve(4), await one.reserve(7), await left()]).toEqual([
      true,
      true,
      true,
      3,
    ]);
    expect([await one.reserve(11), await left()]).toEqual([false, 3]);
    expect([await one.reserveUpTo(50, 8), await left()]).toEqual([10, 0]);
    one.settle(2, 5);
    expect(await left()).toBe(3);
    one.settle(5);
    expect(await left()).toBe(3);
  });

  it('The calls of a caller in a minute are taken from what is left where more were made than set aside', async () => {
    const { budget, left } = open();
    const one = budget();
    await one.reserve(2);
    one.settle(5, 4);
    expect([await left(), one.headers()]).toEqual([5, { left: '5' }]);
  });

  it('The calls of a caller in a minute are those of their own minute: what was set aside in one is not given to the next', async () => {
    const { budget, left } = open();
    const one = budget();
    await one.reserve(10);
    vi.advanceTimersByTime(61_000);
    expect(await left()).toBe(10);
    one.settle(1);
    expect(await left()).toBe(10);
    const other = budget();
    await other.reserve(8);
    vi.advanceTimersByTime(61_000);
    expect([await other.reserve(3), await left()]).toEqual([true, 7]);
  });
});
