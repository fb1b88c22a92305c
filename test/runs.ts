/** Factor for the number of inputs: 10 with `npm run test:long`, of some folders also `test:pages` and `test:clients`. */
const TIMES = Number(process.env['TEST_RUNS'] ?? 1);

/**
 * How many random or generated inputs a test takes. The usual number is small, for `npm test`, but still enough to find
 * the faults that the test is for; `TEST_RUNS=10` takes ten times as many.
 */
export function runs(usual: number): number {
  return Math.ceil(usual * TIMES);
}
