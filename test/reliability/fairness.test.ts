import { expect, test } from 'vitest';
import { openReplicas } from './support/replicas.js';
import { ROMES, smallWorld } from './support/small-world.js';

/** Guards that a huge request does not delay a small one. */

/** Searches of one huge request: more than a minute allows, so that it always has some waiting. */
const MANY = 200;
const departements = Array.from({ length: MANY }, (_, number) => ({
  nom: `Département ${number}`,
  codeInsee: String(100 + number),
}));
/** Calls that a key of sixty a minute may have in flight (a tenth of its window). */
const AT_ONCE = 6;

/** Shorter than the window, so that what cannot be sent in this one is refused, and long for a busy machine. */
const REQUEST_DEADLINE_MS = '45000';
const SMALL =
  'query ($rome: ROMECode!) { jobSearch(romes: [$rome]) { truncated } certifications(rncp: "RNCP1000") { totalCount } }';

test('a request of one call behind one of two hundred is sent within two free places', async () => {
  const replicas = await openReplicas({ CACHE_DIR: 'off', REQUEST_DEADLINE_MS }, { ...smallWorld(), departements });
  try {
    const { workStudy } = replicas.sandbox;
    const searches = () => workStudy.calls.filter(({ url }) => url.includes('/job/v1/search'));
    const replica = await replicas.open();
    await replica.send('{ departements { codeInsee } }');
    workStudy.clearCalls();
    // All places are taken until the small request waits for one.
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    workStudy.fault({ kind: 'latency', path: '/api/job/v1/search', until, times: AT_ONCE });
    const huge = replica.send('{ departements { jobSearch { truncated } } }');
    await workStudy.seen(() => searches().length === AT_ONCE);
    // Its search joins the queue in the tick in which its other call, which another limit counts, sets out.
    const small = replica.send(SMALL, { variables: { rome: ROMES[0] } });
    await workStudy.seen(({ url }) => url.includes('RNCP1000'));
    release();
    expect((await small).errors).toEqual([]);
    const place = searches().findIndex(({ url }) => url.endsWith(String(ROMES[0])));
    expect(place).toBeGreaterThanOrEqual(AT_ONCE);
    expect(place).toBeLessThan(AT_ONCE + 2);
    const { errors } = await huge;
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['RATE_LIMITED']));
    expect(workStudy.calls.filter(({ status }) => status === 429)).toEqual([]);
  } finally {
    await replicas.close();
  }
});
