import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askFor } from '../../examples/shared/rendering.js';
import { type AuthStack, startAuthStack } from '../auth/support/auth-stack.js';
import type { GraphqlError } from '../scenarios/stack.js';

/** Guards what the page for frontends says of servers that render pages. */

const VIEWER = '{ viewer { name } }';
const TOWN = '{ departements { nom } }';

let stack: AuthStack;
let cookie: string;
beforeAll(async () => {
  const env = { TRUSTED_PROXIES: '127.0.0.1', CALLER_REQUESTS_PER_MINUTE: '30' };
  stack = await startAuthStack({ shape: 'in process', env });
  const { browser, user } = stack.person();
  await stack.logIn(browser, user);
  cookie = `theme=dark; passerelle=${stack.sessionCookie(browser)}; other=1`;
});
afterAll(() => stack.close());

const ask = (query: string, headers: Record<string, string> = {}, address?: string) =>
  askFor(new Request('http://page.example/', { headers }), {
    gateway: stack.url,
    query,
    ...(address !== undefined && { address }),
  });

describe('A server that renders a page', () => {
  test('asks in the name of the browser whose session’s cookie it passes on, and of nobody without', async () => {
    const { user } = stack.person();
    expect((await ask(VIEWER, { cookie })).body.data).toEqual({ viewer: { name: user.name } });
    expect((await ask(VIEWER)).body.errors).toMatchObject([{ extensions: { code: 'CREDENTIALS_REQUIRED' } }]);
  });

  test('finds the session beside a cookie of its other name, which a page on https may have too', async () => {
    const { user } = stack.person();
    const both = `__Host-passerelle=of-another-gateway; ${cookie}`;
    expect((await ask(VIEWER, { cookie: both })).body.data).toEqual({ viewer: { name: user.name } });
  });

  test('may let others store what has no part of a session, and nothing else', async () => {
    expect((await ask(TOWN)).cacheControl).toMatch(/^public, max-age=\d+$/);
    expect((await ask(VIEWER, { cookie })).cacheControl).toBe('private, no-store');
  });

  test('needs x-passerelle-csrf for a GET with the cookie', async () => {
    const get = (headers: Record<string, string>) =>
      fetch(`${stack.url}/graphql?${new URLSearchParams({ query: VIEWER })}`, { headers });
    expect((await get({ cookie })).status).toBe(403);
    expect((await get({ cookie, 'x-passerelle-csrf': '1' })).status).toBe(200);
  });

  test('names the browser whose requests count, where the gateway trusts it', async () => {
    const codeFor = async (address: string) =>
      (await ask(TOWN, {}, address)).body.errors?.map((error) => (error as GraphqlError).extensions.code);
    for (let request = 0; request < 30; request += 1) expect(await codeFor('192.0.2.1')).toBeUndefined();
    expect(await codeFor('192.0.2.1')).toEqual(['TOO_MANY_REQUESTS']);
    expect(await codeFor('192.0.2.2')).toBeUndefined();
  });
});
