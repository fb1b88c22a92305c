import type { DriftPlace } from '../../../schema/source-figures.js';

/** Counts values that were not as documented since the process started. */
export interface DriftCounter {
  count(place: string): void;
  total(): number;
  /** The places with the most such values, the worst first. */
  worst(): readonly DriftPlace[];
}

const SHOWN = 20;

/** Starts empty. Places are fields of our own shapes, so their number is bounded. */
export function createDriftCounter(): DriftCounter {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    count(place) {
      total += 1;
      counts.set(place, (counts.get(place) ?? 0) + 1);
    },
    total: () => total,
    worst: () =>
      [...counts]
        .map(([place, count]) => ({ place, count }))
        .sort((a, b) => b.count - a.count)
        .slice(0, SHOWN),
  };
}
