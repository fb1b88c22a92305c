/** Rounds to four decimals, about ten metres, the precision of the packages and the services. */
export function round(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000;
}
