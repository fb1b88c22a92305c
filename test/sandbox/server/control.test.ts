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

it('lists calls to unknown paths', async () => {
  await fetchRaw(`${service.url}/nothing`);
  expect((await control('GET', '/unknown-paths')).json()).toEqual(['GET /api/nothing none']);
});

it('tells what can be set', async () => {
  const kinds = (await control('GET', '/faults')).json();
  expect(Object.keys(kinds)).toEqual(Object.keys(FAULT_KINDS));
  for (const words of Object.values(kinds)) expect(words).toMatch(/^\S/);
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
