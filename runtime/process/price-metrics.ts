import { Counter, Histogram, type Registry } from 'prom-client';

/** Metrics of prices. */
export interface PriceMetrics {
  /** Compares the calls estimated before a request with those that it made. */
  calls(compared: { readonly basis: string; readonly estimated: number; readonly made: number }): void;
}

/** Estimated calls minus calls made. */
const BUCKETS = [-10, -1, 0, 1, 5, 10, 50, 100, 500];

/** Creates the metrics of prices in these registries. */
export function createPriceMetrics(registers: Registry[]): PriceMetrics {
  const labelNames = ['basis'];
  const estimates = new Counter({
    name: 'passerelle_calls_estimated_total',
    help: 'Upstream calls estimated before requests ran: declared (as if nothing were cached), known (from the last time), or by a dry run.',
    labelNames,
    registers,
  });
  const made = new Counter({
    name: 'passerelle_calls_made_total',
    help: 'Upstream calls that these requests made.',
    labelNames,
    registers,
  });
  const difference = new Histogram({
    name: 'passerelle_calls_difference',
    help: 'Upstream calls estimated for a request, minus those that it made.',
    labelNames,
    buckets: BUCKETS,
    registers,
  });
  return {
    calls({ basis, estimated, made: count }) {
      estimates.inc({ basis }, estimated);
      made.inc({ basis }, count);
      difference.observe({ basis }, estimated - count);
    },
  };
}
