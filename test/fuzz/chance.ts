/** Random choices that a seed repeats (mulberry32). */
export interface Chance {
  /** An integer from 0 up to, but excluding, the bound. */
  below(bound: number): number;
  pick<T>(from: readonly T[]): T;
  /** True in one of so many cases. */
  once(times: number): boolean;
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    pick: (from) => from[below(from.length)] as (typeof from)[number],
    once: (times) => below(times) === 0,
  };
}
