import type { Clock } from '../ports/clock.js';

/** Sized for tens of calls a minute: with libraries' defaults, for thousands a second, breakers would never open. */
const SPAN_MS = 30_000;
const FEWEST_IN_SPAN = 10;
const FAILING_SHARE = 0.5;

/** Counts recent failures: in a row, and as a share of calls in the last half minute. */
export class FailureCount {
  private readonly clock: Clock;
  /** This many failures in a row are enough on their own. */
  private readonly enoughInARow: number;
  private inARow = 0;
  private outcomes: { readonly atMs: number; readonly failed: boolean }[] = [];

  constructor(clock: Clock, enoughInARow: number) {
    this.clock = clock;
    this.enoughInARow = enoughInARow;
  }

  /** Counts a call. Returns true if it failed and there are now so many failures that the service may be down. */
  add(failed: boolean): boolean {
    const nowMs = this.clock.monotonicMs();
    this.inARow = failed ? this.inARow + 1 : 0;
    this.outcomes.push({ atMs: nowMs, failed });
    while (this.outcomes[0] !== undefined && this.outcomes[0].atMs <= nowMs - SPAN_MS) this.outcomes.shift();
    return failed && (this.inARow >= this.enoughInARow || this.isFailing());
  }

  reset(): void {
    this.inARow = 0;
    this.outcomes = [];
  }

  private isFailing(): boolean {
    const failures = this.outcomes.filter(({ failed }) => failed).length;
    return this.outcomes.length >= FEWEST_IN_SPAN && failures >= this.outcomes.length * FAILING_SHARE;
  }
}
