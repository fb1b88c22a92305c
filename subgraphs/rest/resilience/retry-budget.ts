import type { Clock } from '../ports/clock.js';

/**
 * Sized for tens of calls a minute; libraries' budgets, for thousands a second, exceed the whole quota (reliability 2).
 */
const RESERVE = 3;
const PER_SUCCESS = 0.1;
const PER_MS = 1 / 10_000;

/** How many retries a service may still get: filled by successes and by time, emptied by retries. */
export interface RetryBudget {
  succeeded(): void;
  /** Takes the cost of one retry; false if it cannot be afforded. */
  spend(cost: number): boolean;
}

/** A full budget: three retries. */
export function createRetryBudget(clock: Clock): RetryBudget {
  let tokens = RESERVE;
  let atMs = clock.monotonicMs();
  const add = (more: number) => {
    tokens = Math.min(RESERVE, tokens + more);
  };
  return {
    succeeded: () => add(PER_SUCCESS),
    spend(cost) {
      const nowMs = clock.monotonicMs();
      add((nowMs - atMs) * PER_MS);
      atMs = nowMs;
      if (tokens < cost) return false;
      tokens -= cost;
      return true;
    },
  };
}
