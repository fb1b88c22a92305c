import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { POLLING } from '../polling.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { ROMES } from './support/small-world.js';

const THREE_DAYS_MS = 72 * 60 * 60_000;
const REFERENCE = '{ departements { codeInsee nom } }';
const SEARCH = '{ sources { name state detail } }';

let replicas: Replicas;
let replica: Replica;
beforeAll(async () => {
  // The cache in memory takes the age of its entries from the wall clock alone.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  replicas = await openReplicas({ CACHE_DIR: 'off' });
  replica = await replicas.open();
});
afterEach(() => {
  replicas.sandbox.workStudy.clearFaults();
  replicas.sandbox.workStudy.clearCalls();
});
afterAll(async () => {
  await replicas.close();
  vi.useRealTimers();
});

const search = (number: number, key?: string) =>
  replica.send('query ($romes: [ROMECode!]) { jobSearch(romes: $romes) { truncated } }', {
    variables: { romes: [ROMES[number]] },
    ...(key !== undefined && { headers: { 'x-work-study-key': key } }),
  });

describe('While the database of keys of work-study fails', () => {
  test('its reference data are served stale, it is not off, and it recovers within seconds', async () => {
    const { data } = await replica.send(REFERENCE);
    vi.setSystemTime(Date.now() + THREE_DAYS_MS);
    const { workStudy } = replicas.sandbox;
    const end = workStudy.fault({ kind: 'key-database' });
    const stale = await replica.send(REFERENCE);
    expect(stale.errors).toEqual([]);
    expect(stale.data).toEqual(data);
    const { data: reported } = await replica.send(SEARCH);
    expect(reported.sources).toContainEqual({
      name: 'work-study',
      state: 'DEGRADED',
      detail: "it refuses the operator's key, which it accepted shortly before: perhaps an outage",
    });
    end();
    await vi.waitFor(async () => expect((await search(0)).errors).toEqual([]), POLLING);
  });

  test('a caller’s good key is not their mistake, and is sent again after seconds', async () => {
    const { workStudy, keys } = replicas.sandbox;
    const { alice } = keys.workStudy;
    expect((await search(1, alice)).errors).toEqual([]);
    const end = workStudy.fault({ kind: 'key-database', key: 'alice' });
    workStudy.clearCalls();
    for (let time = 0; time < 5; time += 1) {
      const { errors } = await search(2, alice);
      expect(errors).toMatchObject([
        { message: expect.stringContaining('perhaps an outage'), extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
      ]);
    }
    expect(workStudy.calls.length).toBeLessThanOrEqual(2);
    end();
    await vi.waitFor(async () => expect((await search(2, alice)).errors).toEqual([]), POLLING);
  });

  test('a key that is revoked is refused at once if it was never accepted', async () => {
    const { errors } = await search(3, 'sandbox-work-study-revoked-key');
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['CREDENTIALS_REJECTED']);
  });
});
