import { freshTurn, isTurnSpent } from '../../../runtime/event-loop/turns.js';

/** Time, as the toolkit sees it. The simulation has a virtual clock. */
export interface Clock {
  /** Milliseconds on a clock that never goes back: for measuring and waiting. */
  monotonicMs(): number;
  /** Milliseconds since 1970: for times that outlive the process or are compared with those of others. */
  wallMs(): number;
  /** Runs the task once after `ms`, never before. The returned function cancels it. Never keeps the process alive. */
  after(ms: number, task: () => void): () => void;
  /** Runs the task now, or in a later turn of the event loop if the current one has already taken long. */
  soon(task: () => void): void;
}

/** The longest delay of Node's timers: with a longer one they fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The owner of all timers' work: their turns of the event loop alternate with those of requests. */
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
      // Node rounds down: a task that compares times would find that it is not yet due, and sleep again for ever.
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

/** An HTTP date in milliseconds since 1970; null when it is none. */
export function parseHttpDate(text: string | undefined): number | null {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}
