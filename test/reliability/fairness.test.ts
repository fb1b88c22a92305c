import { expect, test } from 'vitest';
import { openReplicas } from './support/replicas.js';
import { ROMES } from './support/small-world.js';

/** Searches of one huge request: more than a minute allows, so that it always has some waiting. */
const MANY = 200;
/** Calls that a key of sixty a minute may have in flight (RELIABILITY D). */
const AT_ONCE = 6;

test('a request of one call behind one of two hundred is sent within two free places', async () => {
  const replicas = await openReplicas({ CACHE_DIR: 'off' });
  try {
    const { workStudy } = replicas.sandbox;
    const replica = await replicas.open();
    // Slow enough that the small request has come in before the next place is free.
    workStudy.fault({ kind: 'latency', ms: 1000 });
    const fields = ROMES.slice(0, MANY).map(
      (rome, number) => `s${number}: jobSearch(romes: ["${rome}"]) { truncated }`,
    );
    const huge = replica.ask(`{ ${fields.join(' ')} }`);
    await workStudy.seen(() => workStudy.calls.length === AT_ONCE);
    const before = workStudy.calls.length;
    const small = await replica.ask(`{ jobSearch(romes: ["${ROMES[MANY]}"]) { truncated } }`);
    expect(small.errors).toEqual([]);
    const place = workStudy.calls.findIndex(({ url }) => url.endsWith(String(ROMES[MANY])));
    expect(place).toBeGreaterThanOrEqual(before);
    expect(place - before).toBeLessThan(2);
    workStudy.clearFaults();
    const { errors } = await huge;
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['RATE_LIMITED']));
    expect(workStudy.calls.filter(({ status }) => status === 429)).toEqual([]);
  } finally {
    await replicas.close();
  }
});
