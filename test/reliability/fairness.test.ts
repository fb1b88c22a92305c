import { expect, test } from 'vitest';
import { openReplicas } from './support/replicas.js';
import { ROMES, smallWorld } from './support/small-world.js';

/** Searches of one huge request: more than a minute allows, so that it always has some waiting. */
const MANY = 200;
const departements = Array.from({ length: MANY }, (_, number) => ({
  nom: `Département ${number}`,
  codeInsee: String(100 + number),
}));
/** Calls that a key of sixty a minute may have in flight (RELIABILITY D). */
const AT_ONCE = 6;

test('a request of one call behind one of two hundred is sent within two free places', async () => {
  const replicas = await openReplicas({ CACHE_DIR: 'off' }, { ...smallWorld(), departements });
  try {
    const { workStudy } = replicas.sandbox;
    const replica = await replicas.open();
    await replica.ask('{ departements { codeInsee } }');
    workStudy.clearCalls();
    // All places are taken, and for so long that the small request has come in before the next one is free.
    workStudy.fault({ kind: 'latency', ms: 3000, times: AT_ONCE });
    const huge = replica.ask('{ departements { jobSearch { truncated } } }');
    await workStudy.seen(() => workStudy.calls.length === AT_ONCE);
    const small = await replica.ask(`{ jobSearch(romes: ["${ROMES[0]}"]) { truncated } }`);
    expect(small.errors).toEqual([]);
    const place = workStudy.calls.findIndex(({ url }) => url.endsWith(String(ROMES[0])));
    expect(place).toBeGreaterThanOrEqual(AT_ONCE);
    expect(place).toBeLessThan(AT_ONCE + 2);
    const { errors } = await huge;
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['RATE_LIMITED']));
    expect(workStudy.calls.filter(({ status }) => status === 429)).toEqual([]);
  } finally {
    await replicas.close();
  }
});
