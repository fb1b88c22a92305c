/** Bytes in the largest unit that they fill, for messages; `round` rounds to the first decimal. */
export function inUnits(bytes: number, round: (tenths: number) => number = Math.floor): string {
  const [unit, name] = UNITS.find(([size]) => bytes >= size) ?? SMALLEST;
  return `${round((10 * bytes) / unit) / 10} ${name}`;
}

const SMALLEST = [1, 'bytes'] as const;
const UNITS = [[1024 * 1024, 'MB'], [1024, 'kB'], SMALLEST] as const;
