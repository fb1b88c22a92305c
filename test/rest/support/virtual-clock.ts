import type { Clock } from '../../../subgraphs/rest/ports/ports.js';

/** A clock that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /** Moves forward; runs the timers that fall due in order, and settles all promises in between. */
  advance(ms: number): Promise<void>;
  /** Timers that are still waiting. */
  readonly pending: number;
}

interface Timer {
  readonly atMs: number;
  readonly task: () => void;
}

export function createVirtualClock(startMs = 1_700_000_000_000): VirtualClock {
  let nowMs = 0;
  const timers = new Set<Timer>();
  const due = (untilMs: number) => {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.atMs <= untilMs && timer.atMs < (first?.atMs ?? Infinity)) first = timer;
    return first;
  };
  return {
    monotonicMs: () => nowMs,
    soon: (task) => task(),
    wallMs: () => startMs + nowMs,
    after(ms, task) {
      const timer = { atMs: nowMs + Math.max(0, ms), task };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settle();
      for (let timer = due(untilMs); timer !== undefined; timer = due(untilMs)) {
        timers.delete(timer);
        nowMs = timer.atMs;
        timer.task();
        await settle();
      }
      nowMs = untilMs;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Lets all promises that can settle do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
