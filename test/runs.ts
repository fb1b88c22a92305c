/** Factor for the number of inputs: 10 with `npm run test:long`, of some folders also `test:pages` and `test:clients`. */
const TIMES = Number(process.env['TEST_RUNS'] ?? 1);

/**
 * Marks what `npm test` leaves to `test:pages` and longer runs of the page in a browser: its looks, sizes and keys, and
 * other forms of what another test guards as well.
 */
export const IS_LONG = TIMES > 1;

/**
 * How many random or generated inputs a test takes. The usual number is small, for `npm test`, but still enough to find
 * the faults that the test is for; `TEST_RUNS=10` takes ten times as many.
 */
export function runs(usual: number): number {
  return Math.ceil(usual * TIMES);
}
