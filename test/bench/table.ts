import type { Measured, Sample } from './measure.js';
import type { Workload } from './workloads.js';

/** Variants that the others are compared with, as far as they take part. */
const REFERENCES = ['by-hand', 'stock'];

/** The table of one workload: medians of the rounds, and how far the CPU of the rounds lies apart. */
export function tableOf(workload: Workload, measured: readonly Measured[]): string {
  const references = REFERENCES.flatMap((name) => {
    const found = measured.find(({ variant }) => variant === name);
    return found === undefined ? [] : [{ name, cpuMs: medianOf(found, 'cpuMs') }];
  });
  const head = ['', 'CPU ms', 'spread', ...references.map(({ name }) => `× ${name}`)];
  const rows = measured.map((one) => {
    const cpuMs = medianOf(one, 'cpuMs');
    const all = one.samples.map((sample) => sample.cpuMs);
    return [
      one.variant,
      cpuMs.toFixed(3),
      `${Math.min(...all).toFixed(3)}–${Math.max(...all).toFixed(3)}`,
      ...references.map((reference) => (cpuMs / reference.cpuMs).toFixed(2)),
      medianOf(one, 'perSecond').toFixed(0),
      medianOf(one, 'p50Ms').toFixed(2),
      medianOf(one, 'p99Ms').toFixed(2),
      medianOf(one, 'rssMb').toFixed(0),
      medianOf(one, 'calls').toFixed(4),
      `${(medianOf(one, 'loadShare') * 100).toFixed(0)} %`,
    ];
  });
  const title = `${workload.name}: ${workload.title}`;
  return `\n${title}\n${aligned([[...head, 'req/s', 'p50 ms', 'p99 ms', 'MB', 'calls', 'load'], ...rows])}`;
}

/** The median over the rounds. */
function medianOf({ samples }: Measured, figure: keyof Sample): number {
  return median(samples.map((sample) => sample[figure]));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = low] = sorted.slice(sorted.length % 2 === 0 ? middle - 1 : middle, middle + 1);
  return (low + high) / 2;
}

/** Columns under each other: the first to the left, figures to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
  return rows.map((row) => `  ${line(row).join('  ')}`).join('\n');
}
