import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Fault } from '../../sandbox/server/types.js';
import { type StackResponse, startStack } from '../scenarios/stack.js';
import { shortestSecondTries } from '../shortest-second-tries.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { RNAS, ROMES, smallWorld, USER } from './support/small-world.js';

const HOUR_MS = 60 * 60_000;
/** Reference data are fresh for a day, give or take a tenth, and served in an outage for a week. */
const THREE_DAYS_MS = 72 * HOUR_MS;
const EIGHT_DAYS_MS = 8 * 24 * HOUR_MS;

const REFERENCE = '{ departements { codeInsee nom } }';
const OF_THE_SAME_ROUTES =
  '{ missionsLocales { nom } paris: communes(code: "75001") { nom } afa: communes(code: "20167") { nom } }';

shortestSecondTries();

let replicas: Replicas;
let replica: Replica;
beforeAll(async () => {
  // The cache in memory takes the age of its entries from the wall clock alone.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  replicas = await openReplicas({ CACHE_DIR: 'off' });
  replica = await replicas.open();
});
afterEach(() => {
  for (const service of replicas.sandbox.running) {
    service.clearFaults();
    service.clearCalls();
  }
  // Past every time-to-live, so that nothing cached reaches the next test.
  later(EIGHT_DAYS_MS);
});
afterAll(async () => {
  await replicas.close();
  vi.useRealTimers();
});

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** Sends the query while all is well, then moves the clock forward. */
async function cacheAndWait(ms: number, { send } = replica): Promise<StackResponse> {
  // Enough successful calls to these routes that the failures of all the tests together do not count as an outage.
  expect((await send(OF_THE_SAME_ROUTES)).errors).toEqual([]);
  const first = await send(REFERENCE);
  expect(first.errors).toEqual([]);
  expect(first.headers.get('cache-status')).toBeNull();
  later(ms);
  replicas.sandbox.workStudy.clearCalls();
  return first;
}

const OUTAGES: [name: string, fault: Fault][] = [
  ['503', { kind: 'status' }],
  ['a body that is cut', { kind: 'cut' }],
  ['an empty list', { kind: 'wrong-type', change: () => [] }],
];

describe('Reference data that are no longer fresh', () => {
  test.each(OUTAGES)('are served, and marked, when a service responds with %s', async (_name, fault) => {
    const { data } = await cacheAndWait(THREE_DAYS_MS);
    replicas.sandbox.workStudy.fault(fault);
    const stale = await replica.send(REFERENCE);
    expect(stale.errors).toEqual([]);
    expect(stale.data).toEqual(data);
    expectMarked(stale, 'OUTAGE');
  });

  test('are served when a service refuses connections; other services are called as usual', async () => {
    const { data } = await cacheAndWait(THREE_DAYS_MS);
    const { workStudy, volunteering, keys } = replicas.sandbox;
    await workStudy.stopListening();
    const query = `{ departements { codeInsee nom } organization(rna: "${RNAS[0]}") { rna } viewer { name } }`;
    const response = await replica.send(query, { headers: { authorization: `Bearer ${keys.waste.token}` } });
    await workStudy.startListening();
    expect(response.errors).toEqual([]);
    expect(response.data).toEqual({ ...data, organization: { rna: RNAS[0] }, viewer: { name: USER.name } });
    expect(volunteering.calls).toHaveLength(1);
    expectMarked(response, 'OUTAGE');
  });

  test('are served when their quota is spent', async () => {
    // It keeps to what it was told for a minute, which no clock of the wall shortens.
    const told = await replicas.open();
    await cacheAndWait(THREE_DAYS_MS, told);
    const { workStudy } = replicas.sandbox;
    workStudy.fault({ kind: 'rate-limit', times: 1 });
    expectMarked(await told.send(REFERENCE), 'QUOTA');
  });

  test.each([401, 403])('never hide a %i: that is news', async (status) => {
    await cacheAndWait(THREE_DAYS_MS);
    replicas.sandbox.workStudy.fault({ kind: 'status', status });
    const { data, errors, headers } = await replica.send(REFERENCE);
    expect(data).toEqual({ departements: null });
    expect(errors).toHaveLength(1);
    expect(headers.get('cache-status')).toBeNull();
  });

  test('are marked for callers who may not see the trace, too', async () => {
    const silent = await replicas.open({ TRACE: 'off' });
    await silent.send(REFERENCE);
    later(THREE_DAYS_MS);
    replicas.sandbox.workStudy.fault({ kind: 'status' });
    const { headers, trace, errors } = await silent.send(REFERENCE);
    expect({ trace, errors }).toEqual({ trace: undefined, errors: [] });
    expect(headers.get('cache-status')).toMatch(MARK);
  });
});

describe('Reference data of subgraphs in processes of their own', () => {
  test('are marked in the same way', async () => {
    const stack = await startStack({ shape: 'apart', sandbox: { world: smallWorld() } });
    try {
      await stack.send(REFERENCE);
      later(THREE_DAYS_MS);
      stack.sandbox.workStudy.fault({ kind: 'status' });
      const stale = await stack.send(REFERENCE);
      expect(stale.errors).toEqual([]);
      expectMarked(stale, 'OUTAGE');
    } finally {
      await stack.close();
    }
  });
});

describe('Never stale', () => {
  test('is the viewer: identity is asked each time', async () => {
    const { waste, keys } = replicas.sandbox;
    const send = () =>
      replica.send('{ viewer { name } }', { headers: { authorization: `Bearer ${keys.waste.token}` } });
    expect((await send()).errors).toEqual([]);
    waste.fault({ kind: 'status' });
    const { data, errors, headers } = await send();
    expect(data).toEqual({ viewer: null });
    expect(errors).toHaveLength(1);
    expect(headers.get('cache-status')).toBeNull();
  });

  test('is what belongs to a key, beyond ten minutes; until then it is served for that key alone', async () => {
    const { workStudy, keys } = replicas.sandbox;
    const search = `{ jobSearch(romes: ["${ROMES[0]}"]) { truncated } }`;
    const as = (key: string) => replica.send(search, { headers: { 'x-work-study-key': key } });
    await as(keys.workStudy.alice);
    later(5 * 60_000);
    workStudy.fault({ kind: 'status', status: 500 });
    const stale = await as(keys.workStudy.alice);
    expect(stale.errors).toEqual([]);
    expectMarked(stale, 'OUTAGE');
    expect((await as(keys.workStudy.bob)).errors).toHaveLength(1);
    later(6 * 60_000);
    expect((await as(keys.workStudy.alice)).errors).toHaveLength(1);
  });
});

const MARK = /^passerelle; hit; ttl=-\d+; detail=(OUTAGE|QUOTA|SLOW|REVALIDATING)$/;

/** The response says that it is stale and why, in its header, in its extensions and in its trace. */
function expectMarked({ headers, trace, stale }: StackResponse, reason: string): void {
  const mark = headers.get('cache-status') ?? '';
  expect(mark).toMatch(MARK);
  expect(mark).toContain(`detail=${reason}`);
  const [row, ...others] = trace?.calls.filter(({ stale }) => stale !== undefined) ?? [];
  expect(others).toEqual([]);
  expect(row).toMatchObject({ service: 'work-study', cache: 'STALE', stale: { reason } });
  expect(Number(/ttl=-(\d+)/.exec(mark)?.[1])).toBe(row?.stale?.staleSeconds);
  expect(row?.stale?.ageSeconds).toBeGreaterThan(0);
  expect(stale).toEqual(row?.stale);
}
