import { describe, expect, it } from 'vitest';
import { createShares } from '../../../runtime/event-loop/turns.js';

/** Lets a caller work for a millisecond whenever they may; returns for how many of `ms` milliseconds they worked. */
function workFor(ms: number, caller: string, others: readonly string[]): number {
  let now = 0;
  const shares = createShares(() => now);
  let worked = 0;
  for (; now < ms; now += 1) {
    for (const one of [caller, ...others]) shares.asks(one);
    if (!shares.mayWork(caller)) continue;
    shares.spend(caller, 1);
    worked += 1;
  }
  return worked;
}

describe('Shares of the event loop', () => {
  it('Shares of the event loop are a burst and then a quarter of the time, while others ask', () => {
    expect(workFor(1_000, 'noisy', ['other'])).toBeGreaterThan(280);
    expect(workFor(1_000, 'noisy', ['other'])).toBeLessThan(300);
  });

  it('Shares of the event loop are all of the time for a caller who is alone', () => {
    expect(workFor(1_000, 'noisy', [])).toBe(1_000);
  });

  it('Shares of the event loop are no debt for ever: what somebody worked alone is soon forgiven', () => {
    let now = 0;
    const shares = createShares(() => now);
    shares.asks('noisy');
    for (let piece = 0; piece < 100; piece += 1) shares.spend('noisy', 100);
    now = 1_000;
    shares.asks('noisy');
    shares.asks('other');
    expect(shares.mayWork('noisy')).toBe(true);
    for (let piece = 0; piece < 100; piece += 1) shares.spend('noisy', 100);
    expect(shares.mayWork('noisy')).toBe(false);
    expect(shares.mayWork('other')).toBe(true);
    now += 99;
    expect(shares.mayWork('noisy')).toBe(true);
  });

  it('Shares of the event loop are all of the time again once nobody else has asked for a tenth of a second', () => {
    let now = 0;
    const shares = createShares(() => now);
    shares.asks('other');
    for (; now < 101; now += 1) {
      shares.asks('noisy');
      shares.spend('noisy', 100);
    }
    expect(shares.mayWork('noisy')).toBe(true);
    shares.asks('other');
    expect(shares.mayWork('noisy')).toBe(false);
  });
});
