/** Four decimals, about ten metres: what the packages give and the services show. */
export function round(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000;
}
