import type { Ask, Landing, Taken } from './book.js';
import type { PaceScope } from './scope.js';

/** After a refusal the pace is halved, and this share of it comes back each second (RELIABILITY D). */
export const REGAINED_PER_SECOND = 0.1;
export const SLOWEST = 1 / 32;

/** How the account of a pace stands: a bucket of calls that refills steadily. */
export interface PaceAccount {
  take(ask: Ask, nowMs: number): Taken;
  land(landing: Landing, nowMs: number): void;
  drop(ids: readonly string[]): void;
}

/** A call that the pace lets go is sent at once, so nothing is ever reserved here. */
export function createPaceAccount({ perSecond, burst }: PaceScope): PaceAccount {
  let calls = burst;
  /** Share of the pace that may be used. */
  let share = 1;
  let atMs: number | null = null;

  function refill(nowMs: number): void {
    const seconds = Math.max(0, nowMs - (atMs ?? nowMs)) / 1000;
    atMs = nowMs;
    calls = Math.min(burst * share, calls + perSecond * share * seconds);
    share = Math.min(1, share + REGAINED_PER_SECOND * seconds);
  }

  return {
    take({ ids, headroom }, nowMs) {
      refill(nowMs);
      const kept = burst * headroom;
      const flying = Math.max(0, Math.min(ids.length, Math.floor(calls - kept)));
      calls -= flying;
      return { flying, ...paceOutlook({ left: calls, perSecond: perSecond * share, kept }) };
    },
    land({ blockMs }, nowMs) {
      if (blockMs === 0) return;
      refill(nowMs);
      share = Math.max(SLOWEST, share / 2);
      calls = 0;
    },
    drop(ids) {
      calls = Math.min(burst, calls + ids.length);
    },
  };
}

/** When whoever waits can go: `left` calls are in the bucket, of which `kept` stay there. */
export function paceOutlook(bucket: { left: number; perSecond: number; kept: number }): Omit<Taken, 'flying'> {
  const { left, perSecond, kept } = bucket;
  const startsInMs = (position: number) => Math.max(0, ((position + 1 + kept - left) / perSecond) * 1000);
  return { reserved: 0, blockedMs: 0, startsInMs, retryInMs: startsInMs(0), left: 1, perWindow: perSecond * 60 };
}
