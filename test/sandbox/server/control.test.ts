import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { FAULT_KINDS, type SandboxService } from '../../../sandbox/server/types.js';
import { fetchRaw } from '../raw.js';
import { startTestService } from './service-of-tests.js';

/** Guards the sandbox's control routes. */

let service: SandboxService;
beforeAll(async () => {
  service = await startTestService();
});
afterEach(() => service.reset());
afterAll(() => service.close());

const control = (method: string, path: string, body?: unknown) =>
  fetchRaw(`${service.origin}/__sandbox${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

it('lists and clears the calls, itself never among them', async () => {
  await fetchRaw(`${service.url}/things/1`);
  const listed = (await control('GET', '/calls')).json();
  expect(listed).toMatchObject([{ method: 'GET', url: '/api/things/1', key: 'none', status: 200 }]);
  await control('DELETE', '/calls');
  expect((await control('GET', '/calls')).json()).toEqual([]);
});

it('lists calls to unknown paths', async () => {
  await fetchRaw(`${service.url}/nothing`);
  expect((await control('GET', '/unknown-paths')).json()).toEqual(['GET /api/nothing none']);
});

it('sets and clears faults', async () => {
  await control('POST', '/faults', { kind: 'wrong-type', set: { '/id': [] }, times: 1 });
  await control('POST', '/faults', { kind: 'status', status: 500, path: '/api/things/2' });
  expect((await fetchRaw(`${service.url}/things/1`)).json().id).toEqual([]);
  expect((await fetchRaw(`${service.url}/things/2`)).status).toBe(500);
  await control('DELETE', '/faults');
  expect((await fetchRaw(`${service.url}/things/2`)).status).toBe(200);
});

it('tells what can be set', async () => {
  const kinds = (await control('GET', '/faults')).json();
  expect(Object.keys(kinds)).toEqual(Object.keys(FAULT_KINDS));
  for (const words of Object.values(kinds)) expect(words).toMatch(/^\S/);
});

it('switches the era and moves the clock', async () => {
  await control('POST', '/era', { era: 'seed' });
  expect((await fetchRaw(`${service.url}/seed-only`)).status).toBe(200);
  await control('POST', '/era', { era: 'today' });
  const before = service.now();
  expect((await control('POST', '/clock', { advanceMs: 120_000 })).json().now).toBeGreaterThanOrEqual(before + 120_000);
});

it('resets all but era and clock', async () => {
  await fetchRaw(`${service.url}/things/1`);
  await control('POST', '/faults', { kind: 'status' });
  await control('POST', '/reset');
  expect(service.calls).toEqual([]);
  expect((await fetchRaw(`${service.url}/things/1`)).status).toBe(200);
});

it.each([
  ['POST', '/faults', { kind: 'nonsense' }, 400],
  ['POST', '/era', { era: 'tomorrow' }, 400],
  ['POST', '/clock', { advanceMs: 'soon' }, 400],
  ['POST', '/clock', { advanceMs: -1 }, 400],
  ['POST', '/faults', [], 400],
  ['POST', '/nothing', {}, 404],
])('refuses %s %s %j', async (method, path, body, status) => {
  expect((await control(method, path, body)).status).toBe(status);
});

it('refuses a body that is no JSON', async () => {
  const { status } = await fetchRaw(`${service.origin}/__sandbox/faults`, { method: 'POST', body: '{' });
  expect(status).toBe(400);
});
