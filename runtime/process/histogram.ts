import type { Metric } from 'prom-client';

/** Seconds: from a cached response to the longest request. */
export const DURATION_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/** Name, help text and buckets of a histogram. */
export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** One or two; their values must be bounded. */
  readonly labelNames: readonly [first: string, second?: string];
  /** Seconds, ascending. */
  readonly buckets: readonly number[];
}

interface Observed {
  readonly labels: Record<string, string>;
  readonly counts: number[];
  sum: number;
  count: number;
}

/** A histogram of seconds in the form of the library's own, at next to no cost per observation. */
export function createHistogram({ name, help, labelNames, buckets }: HistogramOptions) {
  /** By the first value and then the second: building a key of both would cost more than counting. */
  const byLabels = new Map<string, Map<string, Observed>>();

  function start(first: string, second: string): Observed {
    const [firstName, secondName] = labelNames;
    const labels = { [firstName]: first, ...(secondName !== undefined && { [secondName]: second }) };
    const observed = { labels, counts: buckets.map(() => 0), sum: 0, count: 0 };
    const bySecond = byLabels.get(first) ?? new Map<string, Observed>();
    byLabels.set(first, bySecond.set(second, observed));
    return observed;
  }

  const metric = {
    name,
    help,
    async get() {
      const values = [...byLabels.values()].flatMap((bySecond) => [...bySecond.values()].flatMap(valuesOf));
      return { name, help, type: 'histogram', aggregator: 'sum', values };
    },
    reset: () => byLabels.clear(),
  };

  function valuesOf({ labels, counts, sum, count }: Observed) {
    let upTo = 0;
    const cumulative = buckets.map((le, index) => {
      upTo += counts[index] ?? 0;
      return { labels: { le, ...labels }, value: upTo, metricName: `${name}_bucket` };
    });
    return [
      ...cumulative,
      { labels: { le: '+Inf', ...labels }, value: count, metricName: `${name}_bucket` },
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ];
  }

  return {
    // The registry uses no more of a metric than this.
    metric: metric as unknown as Metric,
    /** Takes the values of its labels after the time. */
    observe(seconds: number, first: string, second = ''): void {
      const observed = byLabels.get(first)?.get(second) ?? start(first, second);
      let bucket = 0;
      while (bucket < buckets.length && seconds > (buckets[bucket] ?? 0)) bucket += 1;
      if (bucket < buckets.length) observed.counts[bucket] = (observed.counts[bucket] ?? 0) + 1;
      observed.sum += seconds;
      observed.count += 1;
    },
  };
}
