/** The number after a name on the command line; undefined where there is none. */
export function numberAfter(name: string): number | undefined {
  const at = process.argv.indexOf(name);
  const value = at === -1 ? Number.NaN : Number(process.argv[at + 1]);
  return Number.isFinite(value) ? value : undefined;
}
