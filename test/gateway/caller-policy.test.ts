import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPolicy } from '../../gateway/callers/caller-limits.js';

const HOUR_MS = 3_600_000;
const WINDOW_MS = 60_000;

describe('A limit per caller', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function spent() {
    const policy = createPolicy('requests', 2, null);
    for (let request = 0; request < 2; request += 1) await policy.take('caller');
    expect((await policy.take('caller')).isRefused).toBe(true);
    return policy;
  }

  it('is there again after a minute', async () => {
    const policy = await spent();
    vi.advanceTimersByTime(WINDOW_MS - 1);
    expect(policy.known('caller')?.isRefused).toBe(true);
    vi.advanceTimersByTime(2);
    expect(policy.known('caller')).toBeNull();
    expect((await policy.take('caller')).isRefused).toBe(false);
  });

  it('is there again after a minute, and names no later time, when the clock was set back by an hour', async () => {
    const policy = await spent();
    vi.setSystemTime(Date.now() - HOUR_MS);
    const { isRefused, resetMs } = await policy.take('caller');
    expect(isRefused).toBe(true);
    expect(resetMs - Date.now()).toBeLessThanOrEqual(WINDOW_MS);
    vi.advanceTimersByTime(WINDOW_MS + 1);
    expect(policy.known('caller')).toBeNull();
    expect((await policy.take('caller')).isRefused).toBe(false);
  });
});
