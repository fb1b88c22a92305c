/** Random numbers from a seed: the same seed gives the same run. */
export interface Chance {
  /** From 0 to 1, exclusive. */
  next(): number;
  between(low: number, high: number): number;
  /** An integer from `low` to `high`, inclusive. */
  int(low: number, high: number): number;
  happens(probability: number): boolean;
  /** An integer from 0 up to, but excluding, the bound. */
  below(bound: number): number;
  /** True in one of so many cases. */
  once(times: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** An independent stream, so that draws in one part of the world do not shift those in another. */
  fork(): Chance;
}

/** The mulberry32 generator: 32 bits of state, enough for a few thousand draws. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (bound: number) => Math.floor(next() * bound);
  const int = (low: number, high: number) => low + below(high - low + 1);
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    int,
    below,
    once: (times) => below(times) === 0,
    happens: (probability) => next() < probability,
    pick: (values) => values[below(values.length)]!,
    fork: () => createChance(int(0, 2 ** 32 - 1)),
  };
}
