import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type WasteService, wasteToken } from '../../../sandbox/waste/index.js';
import { readJson } from '../read-json.js';
import { runQuery, startPlatform, USER } from './platform.js';

let service: WasteService;

beforeAll(async () => {
  service = await startPlatform();
});
afterAll(() => service.close());
afterEach(() => service.reset());

const authorized = { authorization: `Bearer ${wasteToken}` };

/** Body of the documented response (waste-identity 5.2). */
const UNAUTHENTICATED = {
  errors: [
    {
      message: "Vous n'êtes pas connecté.",
      locations: [{ line: 1, column: 3 }],
      path: ['me'],
      extensions: { code: 'UNAUTHENTICATED' },
    },
  ],
  data: null,
};

describe('the me query (waste-identity 5.4)', () => {
  it('pages myCompanies and refuses `search` to bearers', async () => {
    const page = '{ totalCount pageInfo { hasNextPage endCursor } edges { cursor node { siret } } }';
    const first = runQuery(service, `{ myCompanies(first: 1) ${page} }`, authorized);
    expect(await readJson(first, 'data.myCompanies')).toMatchObject({
      totalCount: 2,
      pageInfo: { hasNextPage: true, endCursor: 'company1' },
    });
    const next = runQuery(service, `{ myCompanies(first: 5, after: "company1") ${page} }`, authorized);
    expect(await readJson(next, 'data.myCompanies')).toMatchObject({
      pageInfo: { hasNextPage: false },
      edges: [{ node: { siret: null } }],
    });
    const refused = runQuery(service, `{ myCompanies(search: "x") ${page} }`, authorized);
    expect(await readJson(refused, 'errors.0.extensions.code')).toBe('BAD_USER_INPUT');
  });
});

describe('a missing or dead token (waste-identity 5.1, 5.2)', () => {
  const cases: [string, Record<string, string>][] = [
    ['no header', {}],
    ['an unknown token', { authorization: 'Bearer unknown' }],
    ['Bearer alone', { authorization: 'Bearer' }],
    ['a header of three parts', { authorization: `Bearer ${wasteToken} x` }],
  ];
  it.each(cases)('answers %s with 200 and UNAUTHENTICATED', async (_, headers) => {
    const response = await runQuery(service, '{ me { id } }', headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(await response.json()).toEqual(UNAUTHENTICATED);
  });

  it('is what a revoked token becomes, for all tokens of the user and application (5.5)', async () => {
    const another = service.issueToken(USER.email);
    expect(service.revoke(USER.email)).toBe(2);
    for (const token of [wasteToken, another])
      expect(await (await runQuery(service, '{ me { id } }', { authorization: `Bearer ${token}` })).json()).toEqual(
        UNAUTHENTICATED,
      );
  });

  it('takes the scheme in any case, and a token in the query string, but not two at once', async () => {
    const lower = await runQuery(service, '{ me { id } }', { authorization: `bearer ${wasteToken}` });
    expect(await readJson(lower, 'data.me.id')).toBe(USER.id);
    const send = (headers: Record<string, string>) =>
      fetch(`${service.url}/?access_token=${wasteToken}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: '{ me { id } }' }),
      });
    expect(await readJson(send({}), 'data.me.id')).toBe(USER.id);
    expect(await readJson(send(authorized), 'data')).toBeNull();
  });
});

describe('the API host (waste-identity 2, 8)', () => {
  it('counts all routes of an address in one window and says so on every response', async () => {
    const result = await runQuery(service, '{ isAuthenticated }');
    expect(result.headers.get('x-ratelimit-limit')).toBe('1000');
    const next = await fetch(`${service.url}/.well-known/openid-configuration`);
    expect(next.headers.get('x-ratelimit-remaining')).toBe(
      String(Number(result.headers.get('x-ratelimit-remaining')) - 1),
    );
    expect(next.headers.get('x-ratelimit-reset')).toBe(String(Math.ceil((service.now() + 60_000) / 1000)));
    expect(next.status).toBe(404);
    expect(await next.text()).toBe('Not found');
  });

  it('lists calls with the holder of the credential and never its value', async () => {
    await runQuery(service, '{ isAuthenticated }', authorized);
    expect(service.callLines()).toEqual([`POST / ${USER.email}`]);
    expect(JSON.stringify(service.calls)).not.toContain(wasteToken);
  });
});

describe('control routes', () => {
  const control = (path: string, body: object) =>
    fetch(`${service.url}/__sandbox${path}`, { method: 'POST', body: JSON.stringify(body) });

  it('revoke, register and switch over HTTP, without being listed as calls', async () => {
    expect(await readJson(control('/revoke', { email: USER.email }))).toEqual({ revoked: 1 });
    expect(await readJson(control('/switches', { dialog: 'deny', quota: { limit: 7 } }))).toMatchObject({
      dialog: 'deny',
      quota: { limit: 7, windowMs: 60_000 },
    });
    expect((await control('/redirect-uris', { redirectUri: 'http://localhost:9/cb' })).status).toBe(200);
    expect(service.calls).toEqual([]);
  });

  it('refuse unknown users, switches and words', async () => {
    for (const [path, body] of [
      ['/revoke', { email: 'nobody@example.org' }],
      ['/switches', { unknown: 1 }],
      ['/switches', { dialog: 'maybe' }],
    ] as const)
      expect((await control(path, body)).status).toBe(400);
  });
});
