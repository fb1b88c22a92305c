import type { Ask, Taken } from './book.js';
import type { PaceScope } from './scope.js';

/** After a refusal the pace is halved, and this share of it comes back each second (RELIABILITY D). */
export const REGAINED_PER_SECOND = 0.1;
export const SLOWEST = 1 / 32;

/** The account of a pace: a bucket of calls that refills steadily. */
export interface PaceAccount {
  /** Takes what may be sent at once: nothing is ever reserved here. */
  take(ask: Ask, nowMs: number): Drawn;
  /** The service refused a call. */
  slow(nowMs: number): void;
  /** So many calls were not sent after all. */
  giveBack(calls: number): void;
}

/** What was taken from a bucket, what is left in it, and how fast it fills. */
export interface Drawn {
  readonly flying: number;
  readonly left: number;
  readonly perSecond: number;
}

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
      const flying = Math.max(0, Math.min(ids.length, Math.floor(calls - burst * headroom)));
      calls -= flying;
      return { flying, left: calls, perSecond: perSecond * share };
    },
    slow(nowMs) {
      refill(nowMs);
      share = Math.max(SLOWEST, share / 2);
      calls = 0;
    },
    giveBack(unsent) {
      calls = Math.min(burst, calls + unsent);
    },
  };
}

/** What a caller of a book hears of a draw: when whoever waits can go, if `kept` calls are to stay in the bucket. */
export function takenOf({ flying, left, perSecond }: Drawn, kept: number): Taken {
  const startsInMs = (position: number) => Math.max(0, ((position + 1 + kept - left) / perSecond) * 1000);
  return {
    flying,
    reserved: 0,
    blockedMs: 0,
    fliesInMs: Number.POSITIVE_INFINITY,
    startsInMs,
    retryInMs: startsInMs,
    left: 1,
    perWindow: perSecond * 60,
  };
}
