import { expect, test } from 'vitest';
import { startStack } from '../scenarios/stack.js';
import { openReplicas } from './support/replicas.js';
import { ROMES, smallWorld } from './support/small-world.js';

/** Guards that neither a huge request nor a caller with many requests delays a small one. */

/** Searches in one huge request: more than a minute allows, so some are always waiting. */
const MANY = 200;
const departements = Array.from({ length: MANY }, (_, number) => ({
  nom: `Département ${number}`,
  codeInsee: String(100 + number),
}));
/** Calls that a key of sixty a minute may have in flight (a tenth of its window). */
const AT_ONCE = 6;

/** Shorter than the window, so that calls beyond this window are refused, but long enough for a busy machine. */
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
    // All permits are taken until the small request waits for one.
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    workStudy.fault({ kind: 'latency', path: '/api/job/v1/search', until, times: AT_ONCE });
    const huge = replica.send('{ departements { jobSearch { truncated } } }');
    await workStudy.seen(() => searches().length === AT_ONCE);
    // Its search joins the queue in the same tick in which its other call, which counts in another scope, is sent.
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

/** One-call requests that a caller sends at once to a route that allows a burst of sixty, then thirty a second. */
const OF_ONE_CALLER = 180;
const CERTIFICATION = 'query ($rncp: RNCPCode) { certifications(rncp: $rncp) { totalCount } }';
/** Once this many have been sent, the burst and a second's worth, all the others are waiting. */
const BEGUN = 90;
/** Calls that may be sent while the neighbour's request is on its way: two seconds' worth, for a busy machine. */
const MEANWHILE = 60;

test.each(['apart'] as const)(
  'one call waits for no more than a turn of a caller with many requests: %s',
  async (shape) => {
    const env = { CACHE_DIR: 'off', REQUEST_DEADLINE_MS, TRUSTED_PROXIES: '127.0.0.1' };
    const stack = await startStack({ shape, env, sandbox: { world: smallWorld() } });
    const left = new AbortController();
    try {
      const { workStudy } = stack.sandbox;
      const certification = (number: number, address: string, signal?: AbortSignal) =>
        stack.send(CERTIFICATION, {
          variables: { rncp: `RNCP${number}` },
          headers: { 'x-forwarded-for': address },
          ...(signal !== undefined && { signal }),
        });
      const many = Array.from({ length: OF_ONE_CALLER }, (_, number) =>
        certification(1000 + number, '192.0.2.1', left.signal).catch(() => {}),
      );
      await workStudy.seen(() => workStudy.calls.length >= BEGUN);
      const before = workStudy.calls.length;
      const { errors } = await certification(9000, '192.0.2.2');
      left.abort();
      await Promise.all(many);
      expect(errors).toEqual([]);
      const place = workStudy.calls.findIndex(({ url }) => url.includes('RNCP9000'));
      expect(place - before).toBeLessThan(MEANWHILE);
    } finally {
      await stack.close();
    }
  },
);

/** All the calls that a service gets at once. One caller sends many more, and the pace lets all of them through. */
const SLOTS = 32;
const OF_SLOW_CALLER = 50;
const OF_NEIGHBOUR = `query ($rncp: RNCPCode) {
  certifications(rncp: $rncp) { totalCount } organizations(first: 1, q: "neighbour") { totalCount }
}`;

test('one call of a slow service waits for no more than a turn of a caller with many requests', async () => {
  const replicas = await openReplicas({ CACHE_DIR: 'off', REQUEST_DEADLINE_MS, TRUSTED_PROXIES: '127.0.0.1' });
  try {
    const { workStudy, volunteering } = replicas.sandbox;
    const replica = await replicas.open();
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    workStudy.fault({ kind: 'latency', until });
    const sendFrom = (address: string, query: string, number: number) =>
      replica.send(query, { variables: { rncp: `RNCP${number}` }, headers: { 'x-forwarded-for': address } });
    const many = Array.from({ length: OF_SLOW_CALLER }, (_, number) =>
      sendFrom('192.0.2.1', CERTIFICATION, 1000 + number),
    );
    await workStudy.seen(() => workStudy.calls.length === SLOTS);
    const one = sendFrom('192.0.2.2', OF_NEIGHBOUR, 9000);
    // Its call is waiting for a slot once its other call, to another service, has been sent.
    await volunteering.seen(({ url }) => url.includes('neighbour'));
    release();
    expect((await one).errors).toEqual([]);
    await Promise.all(many);
    const place = workStudy.calls.findIndex(({ url }) => url.includes('RNCP9000'));
    expect(place).toBeGreaterThanOrEqual(SLOTS);
    expect(place).toBeLessThan(SLOTS + 2);
  } finally {
    await replicas.close();
  }
});
