import type { Sending } from './wire.js';

/** The state that the breaker of one replica and route group must be in, judged from the wire alone. */
export interface BreakerWatch {
  /** Whether it holds back no call. */
  readonly closed: boolean;
  /** What is wrong with sending this call now; null if nothing is. */
  sent(sending: Sending): string | null;
  ended(sending: Sending): void;
}

const FAILURES_IN_A_ROW = 5;
const SPAN_MS = 30_000;
const TRIALS_AFTER_MS = [1000, 2000, 4000, 8000] as const;
const LONGEST_JITTER = 0.2;
const AT_ONCE_CLOSED = 32;
const FAILURE_FREE_MS = 30_000;
const ATTEMPT_MS = 10_000;
/** Tolerance for sums of milliseconds. */
const ROUNDING_MS = 1e-3;

export function watchBreaker(nowMs: () => number): BreakerWatch {
  let state: 'closed' | 'open' | 'half-open' = 'closed';
  /** Calls sent since the last change of state. */
  let era = new Set<Sending>();
  let inARow = 0;
  let outcomes: { atMs: number; failed: boolean }[] = [];
  let openings = 0;
  let noTrialBeforeMs = 0;
  let trial: Sending | null = null;
  let failureFreeSinceMs = 0;
  let inParallel = AT_ONCE_CLOSED;
  const inFlight = new Set<Sending>();

  function change(next: typeof state): void {
    state = next;
    era = new Set();
    inARow = 0;
    outcomes = [];
    trial = null;
  }

  function open(): void {
    change('open');
    const afterMs = TRIALS_AFTER_MS[Math.min(openings, TRIALS_AFTER_MS.length - 1)]!;
    noTrialBeforeMs = nowMs() + afterMs * (1 - LONGEST_JITTER);
    openings += 1;
  }

  function startFromOne(): void {
    inParallel = 1;
    failureFreeSinceMs = nowMs();
  }

  /** Without a failure for this long, it closes, however few calls there were; earlier calls still count. */
  function closeWhenFailureFree(): void {
    if (state !== 'half-open' || nowMs() - failureFreeSinceMs < FAILURE_FREE_MS) return;
    state = 'closed';
    openings = 0;
  }

  function grow(): void {
    inParallel += 1;
    if (inParallel < AT_ONCE_CLOSED) return;
    openings = 0;
    change('closed');
  }

  function count(failed: boolean): void {
    inARow = failed ? inARow + 1 : 0;
    outcomes = [...outcomes.filter(({ atMs }) => atMs > nowMs() - SPAN_MS), { atMs: nowMs(), failed }];
    const failures = outcomes.filter((one) => one.failed).length;
    const failing = outcomes.length >= 10 && failures * 2 >= outcomes.length;
    if (failed && (inARow >= FAILURES_IN_A_ROW || failing)) open();
  }

  return {
    get closed() {
      closeWhenFailureFree();
      return state === 'closed';
    },
    sent(sending) {
      closeWhenFailureFree();
      era.add(sending);
      inFlight.add(sending);
      if (state === 'half-open' && era.size > 0) {
        const many = [...inFlight].filter((one) => era.has(one)).length;
        return many > inParallel ? `${many} calls at once while ${inParallel} may be` : null;
      }
      if (state !== 'open') return null;
      if (trial !== null) return 'a second trial beside the first';
      trial = sending;
      return sending.sentMs < noTrialBeforeMs ? 'a call while the breaker is open and no trial is due' : null;
    },
    ended(sending) {
      inFlight.delete(sending);
      if (trial === sending) trial = null;
      if (!era.has(sending)) return;
      const outcome = outcomeOf(sending);
      // A paused process may have missed its own deadline or its caller's: from here on, nothing is certain.
      if (outcome === 'unclear') return change('closed');
      if (outcome === 'neutral') return;
      closeWhenFailureFree();
      const failed = outcome === 'failure';
      if (state !== 'open') count(failed);
      else if (failed) open();
      else {
        change('half-open');
        return startFromOne();
      }
      if (state !== 'half-open') return;
      if (failed) startFromOne();
      else grow();
    },
  };
}

type Outcome = 'success' | 'failure' | 'neutral' | 'unclear';

function outcomeOf({ end, response, sentMs, endedMs }: Sending): Outcome {
  if (end === 'left') {
    // An attempt that ends at its deadline was ended by it; one that ends earlier, by its caller.
    const leftMs = ATTEMPT_MS - (endedMs! - sentMs);
    if (Math.abs(leftMs) < ROUNDING_MS) return 'failure';
    return leftMs > 0 ? 'neutral' : 'unclear';
  }
  if (end !== 'answered' || response === null) return 'failure';
  // A list that is broken off is a failure only where there is a whole one to serve.
  if (response.isCut === true) return 'unclear';
  // Which of the calls that meet a failing database of keys are sent, and in doubt of which, only the toolkit knows.
  if (response.status === 401) return 'unclear';
  return response.status >= 500 || response.status === 404 ? 'failure' : 'success';
}
