/** How many upstream calls one request may still make, wherever they are made. */
export interface CallAllowance {
  /** Calls that are left. */
  left(): number;
  /** Takes one; false where none is left. */
  take(): boolean;
  /** The last one that was taken is made by another request. */
  giveBack(): void;
  /** Another process made these. */
  spend(calls: number): void;
  /** From now on at most so many. */
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
