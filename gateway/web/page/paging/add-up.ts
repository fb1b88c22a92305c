import type { Asked } from '../answers/asked.js';

/** Two answers as one: times, bytes and calls together, the last one's data and plan. */
export function addUp(before: Asked, next: Asked): Asked {
  const ms = before.ms + next.ms;
  const bytes = before.bytes + next.bytes;
  if (before.trace === null || next.trace === null) return { ...next, ms, bytes };
  const [one, other] = [before.trace.totals, next.trace.totals];
  const totals = {
    callsMade: one.callsMade + other.callsMade,
    savedByCache: one.savedByCache + other.savedByCache,
    savedBySharing: one.savedBySharing + other.savedBySharing,
  };
  return { ...next, ms, bytes, trace: { ...next.trace, totals } };
}
