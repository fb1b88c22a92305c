/** Work in steps of a few milliseconds, so that whoever runs it can yield between them. */
export type Steps<T> = Generator<void, T>;

/** Runs all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Rows that are sorted or merged in one step: about ten milliseconds of comparing text. */
const STEP = 2_000;

/**
 * A stable sort in steps, between which the caller can yield: comparing 100,000 texts by French rules takes seconds.
 */
export function* sortSteps<T>(items: readonly T[], compare: (one: T, other: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += STEP) {
    runs.push(items.slice(from, from + STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* mergeSteps(runs[at] ?? [], runs[at + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeSteps<T>(one: readonly T[], other: readonly T[], compare: (one: T, other: T) => number): Steps<T[]> {
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < one.length || right < other.length) {
    if (merged.length % STEP === STEP - 1) yield;
    const [a, b] = [one[left], other[right]];
    // Ties keep their order.
    const takesLeft = right >= other.length || (left < one.length && compare(a as T, b as T) <= 0);
    merged.push((takesLeft ? a : b) as T);
    if (takesLeft) left += 1;
    else right += 1;
  }
  return merged;
}
