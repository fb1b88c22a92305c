/** A service's clock: the machine's, which can be moved forward. */
export interface Clock {
  now(): number;
  advance(ms: number): void;
}

/** Creates a clock. `base` returns milliseconds since 1970. */
export function createClock(base: () => number = Date.now): Clock {
  let movedMs = 0;
  return {
    now: () => base() + movedMs,
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError('a clock only moves forward');
      movedMs += ms;
    },
  };
}
