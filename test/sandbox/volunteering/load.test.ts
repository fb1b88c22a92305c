import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startVolunteering, type VolunteeringService, volunteeringKeys } from '../../../sandbox/volunteering/index.js';
import { readJson } from '../read-json.js';
import { mission, organization, world } from './small-world.js';

/** Guards the model of the service's time (volunteering 6.1). */

let service: VolunteeringService;
beforeAll(async () => {
  const missions = Array.from({ length: 4_000 }, (_, index) => mission(`m${index}`));
  const organizations = [organization('cross', { rna: 'W751206979', searchText: 'croix' })];
  service = await startVolunteering({ world: world({ missions, organizations }), switches: { timing: true } });
});
beforeEach(() => service.reset());
afterAll(() => service.close());

const get = (path: string, signal?: AbortSignal) =>
  fetch(`${service.url}/v0/${path}`, {
    headers: { apikey: volunteeringKeys.operator },
    ...(signal !== undefined && { signal }),
  });

function closedGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Sends these calls so that they arrive at once; returns how many milliseconds the last of them took from there. */
async function together(...paths: readonly string[]): Promise<number> {
  const gate = closedGate();
  service.fault({ kind: 'latency', until: gate.opened, times: paths.length });
  const replies = paths.map((path) => get(path));
  await service.seen(() => service.calls.length === paths.length);
  const openedAt = performance.now();
  gate.open();
  await Promise.all(replies);
  return performance.now() - openedAt;
}

it('does one call after the other, a row in a quarter of a millisecond, and counts what is in flight', async () => {
  const ms = await together(...Array.from({ length: 8 }, () => 'mission?limit=150'));
  expect(ms).toBeGreaterThan(8 * 150 * 0.24);
  const load = await readJson(fetch(`${service.origin}/__sandbox/load`));
  expect(load).toMatchObject({ rowsInFlight: 0, callsInFlight: 0, mostRowsInFlight: 1_200, mostCallsInFlight: 8 });
});

it('finishes a call that nobody waits for any more before it begins the next', async () => {
  const client = new AbortController();
  const gate = closedGate();
  service.fault({ kind: 'latency', path: '/v0/mission/m1', until: gate.opened });
  const next = get('mission/m1');
  const left = get('mission?limit=4000', client.signal).catch(() => {});
  await service.seen(({ url }) => url.endsWith('4000'));
  client.abort();
  await Promise.all([left, service.seen(({ aborted }) => aborted)]);
  gate.open();
  expect((await next).status).toBe(200);
  expect(service.load()).toMatchObject({ mostRowsInFlight: 4_001, mostRowsOfLargePages: 4_000, rowsInFlight: 0 });
});

it('searches for words that are nowhere longest, while its thread serves others', async () => {
  const client = new AbortController();
  let isAnswered = false;
  const miss = get('organization?q=nowhere', client.signal).then(() => {
    isAnswered = true;
  });
  for (const path of ['organization?rna=W751206979', 'organization?q=croix', 'mission?limit=100']) await get(path);
  expect(isAnswered).toBe(false);
  client.abort();
  await expect(miss).rejects.toThrow('aborted');
});

it('scans for SIRETs two at a time, however many are asked for', async () => {
  const ms = await together(...Array.from({ length: 6 }, () => 'organization?siret=33273739400012'));
  expect(ms).toBeGreaterThan(3 * 187);
});

it('ends above a number of rows in flight, and refuses everybody until it is revived', async () => {
  service.diesAbove = 1_500;
  const replies = await Promise.allSettled([get('mission?limit=1000'), get('mission?limit=1000')]);
  expect(replies.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(get('mission?limit=1')).rejects.toThrow('fetch failed');
  await fetch(`${service.origin}/__sandbox/revive`, { method: 'POST' });
  expect((await get('mission?limit=1')).status).toBe(200);
  expect(service.load()).toMatchObject({ deaths: 1, rowsInFlight: 0 });
});

it('shows no mission to a key without rules, which is no error', async () => {
  service.keysWithoutRules = ['operator'];
  expect(await readJson(get('mission'))).toMatchObject({ ok: true, total: 0, data: [] });
  expect((await get('mission/m1')).status).toBe(404);
});
