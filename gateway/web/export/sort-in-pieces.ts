import { setImmediate } from 'node:timers/promises';

/** Rows that are sorted or merged before the event loop turns: about ten milliseconds of comparing text. */
const PIECE = 2_000;

/** A stable sort that lets the event loop turn: comparing 100,000 texts by French rules takes seconds. */
export async function sortInPieces<T>(items: readonly T[], compare: (one: T, other: T) => number): Promise<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += PIECE) {
    runs.push(items.slice(from, from + PIECE).sort(compare));
    await setImmediate();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(one: readonly T[], other: readonly T[], compare: (one: T, other: T) => number): Promise<T[]> {
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < one.length || right < other.length) {
    if (merged.length % PIECE === PIECE - 1) await setImmediate();
    const [a, b] = [one[left], other[right]];
    // Of equals the first stays first.
    const takesLeft = right >= other.length || (left < one.length && compare(a as T, b as T) <= 0);
    merged.push((takesLeft ? a : b) as T);
    if (takesLeft) left += 1;
    else right += 1;
  }
  return merged;
}
