/** A stream of random numbers, always the same for the same seed. */
export interface Random {
  /** A number from 0 to 1, exclusive. */
  next(): number;
  /** A whole number from 0 to `below`, exclusive. */
  int(below: number): number;
  between(low: number, high: number): number;
  /** Whether an event of this probability (0 to 1) happens. */
  chance(probability: number): boolean;
  /** One of the items, of which there must be at least one. */
  pick<T>(items: readonly T[]): T;
  /** One of the items, with a probability in proportion to its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, item: T])[]): T;
  /** `count` different items in the order of the list, or all if it is shorter. */
  sample<T>(items: readonly T[], count: number): T[];
  /** `length` hexadecimal digits. */
  hex(length: number): string;
  /** `length` decimal digits. */
  digits(length: number): string;
}

/**
 * A stream for one section of the world. Each section has a stream of its own, so that one more record in one does not
 * change the others.
 */
export function createRandom(seed: string): Random {
  const next = generator(hash(seed));
  const int = (below: number) => Math.floor(next() * below);
  return {
    next,
    int,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick: (items) => at(items, int(items.length)),
    weighted: (choices) => weighted(choices, next()),
    sample: (items, count) => sample(items, count, next),
    hex: (length) => numeral({ base: 16, length }, int),
    digits: (length) => numeral({ base: 10, length }, int),
  };
}

/**
 * Random numbers that fill the range evenly, so that shares are exact rather than approximate. `step` is irrational;
 * sequences with different steps are independent of each other (Weyl).
 */
export function createEvenChance(step: number): () => number {
  let turn = 0;
  return () => (++turn * step) % 1;
}

/** The item at an index that is known to exist. */
export function at<T>(items: readonly T[], index: number): T {
  if (index < 0 || index >= items.length) throw new RangeError(`No item ${index} among ${items.length}`);
  return items[index] as T;
}

/** Draws eight digits at a time: digit by digit, ids took a tenth of a world's creation. */
function numeral(
  { base, length }: { readonly base: 10 | 16; readonly length: number },
  int: (below: number) => number,
): string {
  let text = '';
  for (let left = length; left > 0; left -= 8) {
    const count = Math.min(left, 8);
    text += int(base ** count)
      .toString(base)
      .padStart(count, '0');
  }
  return text;
}

/** The item that a random number (0 to 1) selects, by weights. */
export function weighted<T>(choices: readonly (readonly [weight: number, item: T])[], chance: number): T {
  let total = 0;
  for (const choice of choices) total += choice[0];
  let left = chance * total;
  for (const choice of choices) {
    left -= choice[0];
    if (left < 0) return choice[1];
  }
  return at(choices, choices.length - 1)[1];
}

/** Selection sampling (Knuth, volume 2, algorithm S): one pass, order kept. */
function sample<T>(items: readonly T[], count: number, next: () => number): T[] {
  const chosen: T[] = [];
  for (let i = 0; i < items.length && chosen.length < count; i++) {
    if (next() * (items.length - i) < count - chosen.length) chosen.push(at(items, i));
  }
  return chosen;
}

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state are plenty for a world of this size. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** FNV-1a: spreads neighbouring seeds far apart. */
function hash(text: string): number {
  let result = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) result = Math.imul(result ^ text.charCodeAt(i), 0x01000193);
  return result;
}
