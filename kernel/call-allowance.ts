/** How many upstream calls one request may still make, in any process. */
export interface CallAllowance {
  /** Calls left. */
  left(): number;
  /** Takes one call; false when none is left. */
  take(): boolean;
  /** Returns the last call taken, because another request makes it. */
  giveBack(): void;
  /** Deducts calls that another process made. */
  spend(calls: number): void;
  /** Lowers what is left to at most this many. */
  lowerTo(calls: number): void;
}

/** Creates the allowance of a request. */
export function createCallAllowance(calls: number): CallAllowance {
  let left = calls;
  return {
    left: () => left,
    take() {
      if (left === 0) return false;
      left -= 1;
      return true;
    },
    giveBack() {
      left += 1;
    },
    spend(made) {
      left = Math.max(0, left - made);
    },
    lowerTo(lower) {
      left = Math.min(left, lower);
    },
  };
}
