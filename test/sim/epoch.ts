/** Start of simulated time: far from zero, so that wall clocks differ greatly from monotonic ones. */
export const EPOCH_MS = 1_700_000_000_000;
