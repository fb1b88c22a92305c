import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';

/** Time, as the toolkit sees it. The simulation brings a virtual one. */
export interface Clock {
  /** Milliseconds of a clock that never goes back: for measuring and waiting. */
  monotonicMs(): number;
  /** Milliseconds since 1970: for what outlives the process or is compared with what others wrote. */
  wallMs(): number;
  /** Runs the task once after `ms`, never before. The returned function cancels it. It never keeps the process alive. */
  after(ms: number, task: () => void): () => void;
  /** Runs the task now, or as soon as the event loop has turned, where others have blocked it for long. */
  soon(task: () => void): void;
}

/** The longest delay that Node's timers take: beyond it they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Whose work all timers are: their turns of the event loop go round with those of requests. */
const TIMERS = {};

/** The machine's clocks and timers. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after(ms, task) {
    const dueMs = performance.now() + Math.max(ms, 0);
    let isCancelled = false;
    let timer = arm();
    function arm(): NodeJS.Timeout {
      return setTimeout(fire, Math.min(dueMs - performance.now(), MAX_TIMER_MS)).unref();
    }
    function fire(): void {
      // Node rounds down: whoever compares times would find that it is not time yet, and go back to sleep for ever.
      if (performance.now() < dueMs) timer = arm();
      else systemClock.soon(() => isCancelled || task());
    }
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  },
  soon(task) {
    // A deadline ends thousands of calls in the same millisecond, and much follows from each.
    if (isTurnSpent()) void freshTurn(TIMERS).then(task);
    else task();
  },
};

/** A date of HTTP in milliseconds since 1970; null when it is none. */
export function parseHttpDate(text: string | undefined): number | null {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
