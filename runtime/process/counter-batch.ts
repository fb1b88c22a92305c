import type { Counter } from 'prom-client';

/** Increments of one counter, summed between two scrapes: the library's counter takes a microsecond for each. */
export interface CounterBatch {
  add(key: string, labels: () => Record<string, string | number>, times?: number): void;
  /** Moves the sums to the counter. */
  flush(counter: Counter): void;
}

/** Creates an empty batch; its keys must be bounded, like the labels. */
export function createCounterBatch(): CounterBatch {
  const counts = new Map<string, { readonly labels: Record<string, string | number>; times: number }>();
  return {
    add(key, labels, times = 1) {
      const count = counts.get(key);
      if (count === undefined) counts.set(key, { labels: labels(), times });
      else count.times += times;
    },
    flush(counter) {
      for (const count of counts.values()) {
        counter.inc(count.labels, count.times);
        count.times = 0;
      }
    },
  };
}
