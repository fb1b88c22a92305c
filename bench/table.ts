import type { Measured, Sample } from './measure.js';
import type { Start } from './starts.js';
import type { Workload } from './workloads.js';

/**
 * The table of one workload: medians of the rounds, the spread of CPU over the rounds, and the ratio of CPU to that of
 * each reference.
 */
export function tableOf(workload: Workload, measured: readonly Measured[], references: readonly string[]): string {
  const compared = references.flatMap((name) => measured.filter(({ variant }) => variant === name));
  // A cold sample is a single request.
  const isCold = workload.coldDelayMs !== undefined;
  const rows = measured.map((one) => {
    const cpuMs = one.samples.map((sample) => sample.cpuMs);
    return [
      one.variant,
      medianOf(one, 'cpuMs').toFixed(3),
      `${Math.min(...cpuMs).toFixed(3)}–${Math.max(...cpuMs).toFixed(3)}`,
      ...compared.map((reference) => (medianOf(one, 'cpuMs') / medianOf(reference, 'cpuMs')).toFixed(2)),
      medianOf(one, 'perSecond').toFixed(0),
      medianOf(one, 'p50Ms').toFixed(2),
      (isCold ? Math.max(...one.samples.map((sample) => sample.p99Ms)) : medianOf(one, 'p99Ms')).toFixed(2),
      medianOf(one, 'rssMb').toFixed(0),
      medianOf(one, 'calls').toFixed(4),
      `${(medianOf(one, 'loadShare') * 100).toFixed(0)} %`,
    ];
  });
  const ratios = compared.map(({ variant }) => `× ${variant}`);
  const head = [
    '',
    'CPU ms',
    'spread',
    ...ratios,
    'req/s',
    'p50 ms',
    isCold ? 'highest' : 'p99 ms',
    'MB',
    'calls',
    'load',
  ];
  return `\n${workload.name}: ${workload.title}\n${aligned([head, ...rows])}`;
}

/** The table of the starts, with medians. */
export function tableOfStarts(starts: readonly Start[]): string {
  const rows = [...new Set(starts.map(({ variant }) => variant))].map((variant) => {
    const own = starts.filter((start) => start.variant === variant);
    const figure = (name: 'readyMs' | 'firstMs' | 'restMb') => median(own.map((start) => start[name])).toFixed(0);
    return [variant, figure('readyMs'), figure('restMb'), figure('firstMs')];
  });
  return `\nstart\n${aligned([['', 'ready ms', 'MB at rest', 'first join ms'], ...rows])}`;
}

function medianOf({ samples }: Measured, figure: keyof Sample): number {
  return median(samples.map((sample) => sample[figure]));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = low] = sorted.slice(sorted.length % 2 === 0 ? middle - 1 : middle, middle + 1);
  return (low + high) / 2;
}

/** Aligns columns: the first to the left, figures to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
  return rows.map((row) => `  ${line(row).join('  ')}`).join('\n');
}
