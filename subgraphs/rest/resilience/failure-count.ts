import type { Clock } from '../ports/clock.js';

/** Made for tens of calls a minute: libraries' defaults, made for thousands a second, would never open. */
const SPAN_MS = 30_000;
const FEWEST_IN_SPAN = 10;
const FAILING_SHARE = 0.5;

/** How many calls failed lately: in a row, and as a share of the last half minute. */
export class FailureCount {
  private readonly clock: Clock;
  /** So many failures in a row are enough by themselves. */
  private readonly enoughInARow: number;
  private inARow = 0;
  private outcomes: { readonly atMs: number; readonly failed: boolean }[] = [];

  constructor(clock: Clock, enoughInARow: number) {
    this.clock = clock;
    this.enoughInARow = enoughInARow;
  }

  /** Counts a call; whether it failed and with it so much that the service may be down. */
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
