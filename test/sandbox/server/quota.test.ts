import { expect, it } from 'vitest';
import { createClock, createQuotaWindows } from '../../../sandbox/server/quota.js';

/** Guards how the sandbox counts calls in windows. */

const clock = () => createClock(() => 1_000_000);

it('opens a window with the first call and refuses calls over the limit until it ends', () => {
  const time = clock();
  const quota = createQuotaWindows(time.now);
  time.advance(500);
  expect(quota.take('a', 2, 60_000)).toMatchObject({ remaining: 1, resetMs: 60_000, exceeded: false });
  time.advance(59_999);
  expect(quota.take('a', 2, 60_000)).toMatchObject({ remaining: 0, resetMs: 1, exceeded: false });
  expect(quota.take('a', 2, 60_000)).toMatchObject({ remaining: 0, exceeded: true });
  time.advance(1);
  expect(quota.take('a', 2, 60_000)).toMatchObject({ remaining: 1, resetMs: 60_000, exceeded: false });
});

it('is not made longer by refused calls', () => {
  const time = clock();
  const quota = createQuotaWindows(time.now);
  quota.take('a', 1, 1000);
  time.advance(900);
  expect(quota.take('a', 1, 1000)).toMatchObject({ exceeded: true, resetMs: 100 });
});

it('counts each scope apart and forgets all when it is cleared', () => {
  const quota = createQuotaWindows(clock().now);
  quota.take('a', 1, 1000);
  expect(quota.take('b', 1, 1000).exceeded).toBe(false);
  quota.clear();
  expect(quota.take('a', 1, 1000).exceeded).toBe(false);
});

it('has a clock that only moves forward', () => {
  const time = clock();
  time.advance(5);
  expect(time.now()).toBe(1_000_005);
  expect(() => time.advance(-1)).toThrow(RangeError);
  expect(() => time.advance(Number.NaN)).toThrow(RangeError);
});
