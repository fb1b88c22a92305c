import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type WasteService, wasteClient } from '../../../sandbox/waste/index.js';
import { readJson, readText } from '../read-json.js';
import { basic, CALLBACK, exchange, freshCode, runQuery, startPlatform, USER } from './platform.js';

let service: WasteService;

beforeAll(async () => {
  service = await startPlatform();
});
afterAll(() => service.close());
afterEach(() => {
  service.reset();
  service.era = 'today';
});

describe('a token response (waste-identity 4.2)', () => {
  it('has three members in the platform order, `Bearer`, no charset and no-store', async () => {
    const response = await exchange(service, { code: await freshCode(service) });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    const text = await response.text();
    expect(text).toMatch(/^\{"access_token":.*"user":.*"token_type":/);
    expect(JSON.parse(text)).toEqual({
      access_token: expect.stringMatching(/^[A-Za-z0-8]{40}$/),
      user: { name: USER.name, email: USER.email },
      token_type: 'Bearer',
    });
  });

  it('makes one more token each time: earlier ones stay valid (4.2)', async () => {
    const first = await readText(exchange(service, { code: await freshCode(service) }), 'access_token');
    const second = await readText(exchange(service, { code: await freshCode(service) }), 'access_token');
    expect(second).not.toBe(first);
    for (const token of [first, second]) expect(await nameOf(token)).toBe(USER.name);
  });
});

describe('a refused token request (waste-identity 4.3)', () => {
  const credentials: [string, Record<string, string>, number, string | null, string][] = [
    ['no credentials', {}, 401, 'Basic realm="Users"', 'Unauthorized'],
    ['an unknown client', { authorization: basic('nobody') }, 401, 'Basic realm="Users"', 'Unauthorized'],
    ['a wrong secret', { authorization: basic(wasteClient.id, 'x') }, 401, 'Basic realm="Users"', 'Unauthorized'],
    ['Basic with nothing after', { authorization: 'Basic' }, 400, null, 'Bad Request'],
    ['a payload without a colon', { authorization: `Basic ${btoa('abc')}` }, 400, null, 'Bad Request'],
  ];
  it.each(credentials)(
    'answers %s in plain text without a content type',
    async (_, headers, status, challenge, text) => {
      const response = await exchange(service, { code: 'x' }, headers);
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBeNull();
      expect(response.headers.get('www-authenticate')).toBe(challenge);
      expect(await response.text()).toBe(text);
    },
  );

  it('keeps a code for its application', async () => {
    service.registerApplication({ id: 'other', secret: 'otherSecret', name: 'Autre', redirectUris: [CALLBACK] });
    const response = await exchange(
      service,
      { code: await freshCode(service) },
      { authorization: basic('other', 'otherSecret') },
    );
    expect(response.status).toBe(403);
    expect(await readJson(response, 'error_description')).toBe('Invalid client id');
  });

  it('follows RFC 6749 5.2 in the seed era (waste-identity 12.7.2)', async () => {
    service.era = 'seed';
    const client = await exchange(service, { code: 'x' }, {});
    expect(client.status).toBe(401);
    expect(await readJson(client, 'error')).toBe('invalid_client');
    const grant = await exchange(service, { code: 'x' });
    expect(grant.status).toBe(400);
    expect(grant.headers.get('cache-control')).toBe('no-store');
    expect(await readJson(grant, 'error')).toBe('invalid_grant');
    expect(await readJson(exchange(service, { code: 'x', grant_type: undefined }), 'error')).toBe('invalid_request');
  });
});

function nameOf(token: string): Promise<unknown> {
  return readJson(runQuery(service, '{ me { name } }', { authorization: `Bearer ${token}` }), 'data.me.name');
}
