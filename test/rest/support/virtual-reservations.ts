import type { Reservations } from '../../../subgraphs/rest/ports/ports.js';

/** Does without Redis what the script does in Redis; a test compares the two. */
export function createVirtualReservations(now: () => number): Reservations {
  const all = new Map<string, { amount: number; since: number; until: number }>();
  let asked = 0;
  return {
    async reserve(key, { id, amount, limit, leaseMs }) {
      const name = `${key} ${id}`;
      for (const [one, { until }] of all) if (until <= now()) all.delete(one);
      if (leaseMs === 0) return all.delete(name);
      asked += 1;
      const since = all.get(name)?.since ?? asked;
      const others = [...all].filter(([one]) => one.startsWith(`${key} `) && one !== name).map(([, other]) => other);
      const taken = others.reduce((sum, other) => sum + other.amount, 0);
      const isNext = others.every((other) => other.amount > 0 || other.since >= since);
      const isGranted = (all.get(name)?.amount ?? 0) > 0 || (isNext && (taken === 0 || taken + amount <= limit));
      all.set(name, { amount: isGranted ? amount : 0, since, until: now() + (isGranted ? leaseMs : 1000) });
      return isGranted;
    },
  };
}
