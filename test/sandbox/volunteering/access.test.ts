import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startVolunteering, type VolunteeringService, volunteeringKeys } from '../../../sandbox/volunteering/index.js';
import { readJson } from '../read-json.js';
import { mission, world } from './small-world.js';

const { operator, alice } = volunteeringKeys;
const unknownPaths: string[] = [];
let service: VolunteeringService;

beforeAll(async () => {
  service = await startVolunteering({
    world: world({ missions: [mission('one')] }),
    now: () => Date.UTC(2026, 0, 1),
    onUnknownPath: (line) => unknownPaths.push(line),
  });
});
afterAll(() => service.close());
afterEach(() => {
  service.reset();
  service.era = 'today';
});

const get = (path: string, headers: Record<string, string> = { 'x-api-key': operator }) =>
  fetch(`${service.url}${path}`, { headers });

describe('keys (volunteering 5.1, 5.3)', () => {
  it.each([
    ['no key', {}],
    ['an empty key', { 'x-api-key': '' }],
    ['an unknown key', { apikey: 'unknown' }],
    ['the key as a bearer token', { authorization: `Bearer ${operator}` }],
  ])('answers %s with twelve bytes that have no type', async (_, headers) => {
    const response = await get('/v0/mission?limit=nonsense', headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toBeNull();
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(response.headers.get('x-ratelimit-limit')).toBeNull();
    expect(await response.text()).toBe('Unauthorized');
  });

  it.each([
    ['apikey', { apikey: operator }],
    ['x-api-key', { 'x-api-key': operator }],
    ['a good x-api-key beside a bad apikey', { apikey: 'bad', 'x-api-key': operator }],
  ])('takes %s on every route', async (_, headers) => {
    for (const path of ['/v0/mission', '/v0/mission/search', '/v0/mission/one', '/v0/organization'])
      expect((await get(path, headers)).status).toBe(200);
  });

  it('lets apikey win over x-api-key', async () => {
    await get('/v0/mission', { apikey: alice, 'x-api-key': operator });
    expect(service.callLines()).toEqual(['GET /v0/mission alice']);
  });
});

describe('the window of a key (volunteering 6)', () => {
  it('counts all routes together and tells the end in epoch seconds', async () => {
    await get('/v0/mission');
    const response = await get('/v0/organization');
    expect(response.headers.get('x-ratelimit-limit')).toBe('600');
    expect(response.headers.get('x-ratelimit-remaining')).toBe('598');
    expect(response.headers.get('x-ratelimit-reset')).toBe(String(Date.UTC(2026, 0, 1, 0, 1) / 1000));
  });

  it('refuses calls beyond it, not those of another key, until the window ends', async () => {
    service.callsPerMinute = 2;
    for (const path of ['/v0/mission', '/v0/organization']) expect((await get(path)).status).toBe(200);
    service.advance(20_500);
    const refused = await get('/v0/mission?limit=nonsense');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(await readJson(refused)).toEqual({
      ok: false,
      code: 'TOO_MANY_REQUESTS',
      message: 'Too many requests, please try again later.',
    });
    expect((await get('/v0/mission', { apikey: alice })).status).toBe(200);
    service.advance(39_500);
    expect((await get('/v0/mission')).status).toBe(200);
  });
});

describe('unknown routes (volunteering 5.1)', () => {
  it.each([
    ['GET', '/v0/organization/68f0b6f2c1a7d90011aa22bb'],
    ['GET', '/v0/mission/one/apply'],
    ['GET', '/v0/publisher'],
    ['POST', '/v0/mission'],
  ])('answers %s %s with the page of the framework, and loudly', async (method, path) => {
    const response = await fetch(`${service.url}${path}?a=1`, { method, headers: { apikey: operator } });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toContain(`<pre>Cannot ${method} ${path}</pre>`);
    expect(service.unknownPaths).toEqual([`${method} ${path}?a=1 operator`]);
    expect(unknownPaths.at(-1)).toContain(path);
  });
});

describe('headers (volunteering 6)', () => {
  it('carries a weak ETag that saves the body and not the quota', async () => {
    const first = await get('/v0/mission');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[0-9a-f]+-[A-Za-z0-9+/]{27}"$/);
    expect(first.headers.get('cache-control')).toBeNull();
    const second = await get('/v0/mission', { apikey: operator, 'if-none-match': etag, 'cache-control': 'max-age=0' });
    expect(second.status).toBe(304);
    expect(second.headers.get('x-ratelimit-remaining')).toBe('598');
    expect(await second.text()).toBe('');
  });
});

describe('the control route of the switches', () => {
  it('sets order and key headers over HTTP, and refuses other words', async () => {
    const control = (body: object) =>
      fetch(`${service.url}/__sandbox/switches`, { method: 'POST', body: JSON.stringify(body) });
    expect(await readJson(control({ order: 'turning', keyHeaders: ['apikey'] }))).toEqual({
      order: 'turning',
      paging: 'followed',
      rnaFilter: 'known',
      surplus: 0,
      timing: false,
      diesAbove: null,
      keysWithoutRules: [],
      keyHeaders: ['apikey'],
      callsPerMinute: 600,
    });
    for (const wrong of [{ order: 'random' }, { paging: 'odd' }, { rnaFilter: 'odd' }, { surplus: '1' }])
      expect((await control(wrong)).status).toBe(400);
  });
});
