/** When simulated time begins: far from zero, so that wall clocks are far from monotonic ones. */
export const EPOCH_MS = 1_700_000_000_000;
