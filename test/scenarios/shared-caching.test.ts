import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

/** Searches are fresh for a minute and reference data for a day, give or take a tenth. */
const MISSIONS = '{ missions(first: 2) { nodes { id title } } }';

describe.each(USUAL_SHAPE)('a response in a cache on the way, %s', (shape) => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.02 } });
  });
  afterAll(() => stack.close());

  async function get(query: string, headers: Record<string, string> = {}, method = 'GET') {
    const response = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query })}`, { method, headers });
    const cacheControl = response.headers.get('cache-control') ?? '';
    const seconds = Number(/^public, max-age=(\d+)$/.exec(cacheControl)?.[1] ?? Number.NaN);
    return { status: response.status, cacheControl, seconds, etag: response.headers.get('etag'), response };
  }

  it('may be cached as long as the part of it that is fresh for the shortest time', async () => {
    // First from the service, then from the cache, then by the fast path.
    for (const _ of [1, 2, 3]) {
      const { seconds } = await get(MISSIONS);
      expect(seconds).toBeGreaterThan(20);
      expect(seconds).toBeLessThanOrEqual(66);
    }
    for (const _ of [1, 2, 3]) expect((await get('{ departements { nom } }')).seconds).toBeGreaterThan(70_000);
    const both = await get('{ departements { nom } missions(first: 2) { nodes { id title } } }');
    expect(both.seconds).toBeLessThanOrEqual(66);
  });

  it('is not sent again to those who have it', async () => {
    const { etag, response } = await get(MISSIONS);
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    const body = await response.text();
    for (const known of [etag ?? '', `"other", ${etag}`, '*']) {
      const again = await get(MISSIONS, { 'if-none-match': known });
      expect([again.status, again.etag, await again.response.text()]).toEqual([304, etag, '']);
    }
    const other = await get(MISSIONS, { 'if-none-match': 'W/"other"', 'accept-encoding': 'gzip' });
    expect([other.status, other.etag, await other.response.text()]).toEqual([200, etag, body]);
    const head = await get(MISSIONS, {}, 'HEAD');
    expect([head.status, head.etag]).toEqual([200, etag]);
  });

  it('depends on every header that carries a credential', async () => {
    const { response } = await get(MISSIONS);
    const vary = response.headers.get('vary')?.toLowerCase().split(', ');
    const headers = ['authorization', 'cookie', 'x-work-study-key', 'x-volunteering-key', 'accept', 'accept-encoding'];
    expect(vary).toEqual(expect.arrayContaining(headers));
  });

  it.each([
    ['with a key', MISSIONS, { 'x-volunteering-key': 'a-key-of-their-own' }],
    ['with a key of another service', MISSIONS, { 'x-work-study-key': 'a-key-of-their-own' }],
    ['with a token', MISSIONS, { authorization: 'Bearer a-token' }],
    ['with a trace', MISSIONS, { 'x-passerelle-trace': '1' }],
    ['of what changes by itself', `{ sources { name state } missions(first: 2) { nodes { id title } } }`, {}],
    ['of no data of a source', '{ __typename }', {}],
    ['with an error', '{ missions(first: 2) { nodes { id title } } viewer { id } }', {}],
    ['to an operation that is refused', '{ nothing }', {}],
  ])('%s is cached by nobody', async (_name, query, headers) => {
    await get(MISSIONS);
    for (const _ of [1, 2]) {
      const { cacheControl, etag } = await get(query, headers as Record<string, string>);
      expect([cacheControl, etag]).toEqual(['private, no-store', null]);
    }
  });

  it('to a POST has no tag', async () => {
    const { headers } = await fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: MISSIONS }),
    });
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
  });
});
