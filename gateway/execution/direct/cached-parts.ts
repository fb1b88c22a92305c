import type { CachedPart } from '../../../schema/at-hand.js';

/** The totals of using all parts of a response. */
export interface PartsUsed {
  /** How many calls they saved. */
  readonly hits: number;
  /** Until when all of them are fresh, in milliseconds since 1970; null if none expires. */
  readonly freshUntilMs: number | null;
}

/** Whether a lookup at this time would still find every part, and find it fresh. */
export function areGood(parts: readonly CachedPart[], nowMs: number): boolean {
  for (const part of parts) if (!part.isGood(nowMs)) return false;
  return true;
}

/** Counts a use of each part. */
export function countUses(parts: readonly CachedPart[], nowMs: number): PartsUsed {
  let hits = 0;
  let freshUntilMs = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    part.countUse(nowMs);
    if (part.freshUntilMs < freshUntilMs) freshUntilMs = part.freshUntilMs;
    if (part.isCall) hits += 1;
  }
  return { hits, freshUntilMs: Number.isFinite(freshUntilMs) ? freshUntilMs : null };
}
