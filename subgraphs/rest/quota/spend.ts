import type { Ask } from './book.js';

/** One call of a window's account, before it is sent, in flight and after. Times are of the account's clock. */
export interface Spend {
  /** Until then it counts. */
  readonly untilMs: number;
  /** Until then it is in flight, and after that it was lost; 0 before it is sent and when it has landed. */
  readonly flyingUntilMs: number;
  readonly landed: boolean;
}

/** What became of an ask, when, and how long a spend counts after its landing. */
export interface Granted {
  readonly flying: number;
  readonly reserved: number;
  readonly nowMs: number;
  readonly countsMs: number;
}

/** Enters the spends of an ask: those that fly, those that are reserved, and none for the others. */
export function enterSpends(spends: Map<string, Spend>, { ids, leaseMs }: Ask, granted: Granted): void {
  const { flying, reserved, nowMs, countsMs } = granted;
  const leasedUntilMs = nowMs + leaseMs;
  ids.forEach((id, place) => {
    if (place < flying)
      spends.set(id, { untilMs: leasedUntilMs + countsMs, flyingUntilMs: leasedUntilMs, landed: false });
    else if (place < flying + reserved) spends.set(id, { untilMs: leasedUntilMs, flyingUntilMs: 0, landed: false });
    else spends.delete(id);
  });
}
