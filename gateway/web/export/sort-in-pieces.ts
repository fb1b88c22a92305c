import { setImmediate } from 'node:timers/promises';
import { sortSteps } from '../rows/sort-steps.js';

/** A stable sort that lets the event loop turn between its steps. */
export async function sortInPieces<T>(items: readonly T[], compare: (one: T, other: T) => number): Promise<T[]> {
  const steps = sortSteps(items, compare);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
