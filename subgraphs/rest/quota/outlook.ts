import { GUARD_MS, type Taken } from './book.js';

/** What is known of a window at one moment. All times are milliseconds from then. */
export interface WindowSnapshot {
  /** Calls that this process, or all who share the book, may have counting at once. */
  readonly limit: number;
  /** How long a spend counts after its landing. */
  readonly countsMs: number;
  /** Spends that count. */
  readonly spent: number;
  /** When each of them stops counting, in any order; one that has not landed as if it landed now. */
  endsInMs(): number[];
  /** What the headers leave, minus the calls that they cannot know yet; infinite when they say nothing. */
  readonly freeByHeaders: number;
  /** When the headers' window ends, guard included. */
  readonly headersEndInMs: number;
  readonly blockedMs: number;
}

/**
 * When whoever waits can start: `kept` places further back than it stands, because these are left to others. Most calls
 * go at once and nobody asks: only then are the ends looked at.
 */
export function outlook(snapshot: WindowSnapshot, kept: number): Omit<Taken, 'flying' | 'reserved'> {
  const { limit, countsMs, spent, freeByHeaders, headersEndInMs, blockedMs } = snapshot;
  const freeByLog = limit - spent;
  let sorted: number[] | null = null;
  // The slot of a place: one that is free now, or the one whose spend ends next; then the same a window later.
  const byLogMs = (place: number) => {
    if (limit <= 0) return countsMs;
    const slot = (place % limit) - freeByLog;
    const laterMs = Math.floor(place / limit) * countsMs;
    if (slot < 0) return laterMs;
    sorted ??= snapshot.endsInMs().sort((a, b) => a - b);
    return (sorted[slot] ?? 0) + laterMs;
  };
  const startsInMs = (position: number) => {
    const place = position + kept;
    return Math.max(0, blockedMs, byLogMs(place), place < freeByHeaders ? 0 : headersEndInMs);
  };
  const ends = [blockedMs, headersEndInMs].filter((ms) => ms > 0);
  return {
    fliesInMs: Math.min(Number.POSITIVE_INFINITY, ...ends),
    startsInMs,
    blockedMs,
    retryInMs: (position) => Math.max(0, startsInMs(position) - GUARD_MS),
    left: limit <= 0 ? 0 : Math.max(0, Math.min(freeByLog, freeByHeaders)) / limit,
    perWindow: Math.max(1, limit),
  };
}
