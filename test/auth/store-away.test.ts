import { expect, it } from 'vitest';
import { startAuthStack } from './support/auth-stack.js';
import { startRedis } from './support/redis.js';

/** Guards sessions while Redis is away. */

const redis = await startRedis();
const SESSION_SECRET = 'a-session-secret-of-more-than-32-characters';

it.skipIf(redis === null)(
  'while the sessions cannot be reached nobody is told to log in, and the rest answers',
  async () => {
    if (redis === null) return;
    const house = await startAuthStack({ shape: 'in process', env: { CACHE_URL: redis.url, SESSION_SECRET } });
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    const underWay = await house.callbackFor(browser, user);
    // On a busy machine, the server may have been late before.
    const linesBefore = house.log.lines.length;
    await redis.close();

    const { data, errors } = await house.send(browser, '{ viewer { email } departements { codeInsee } }');
    expect(errors).toMatchObject([{ path: ['viewer'], extensions: { code: 'GATEWAY_UNAVAILABLE' } }]);
    expect(errors?.[0]?.extensions).not.toHaveProperty('service');
    expect(data.departements.length).toBeGreaterThan(90);

    const logout = await browser.post(`${house.url}/auth/waste/logout`, undefined, { 'x-passerelle-csrf': '1' });
    const session = await browser.get(`${house.url}/auth/session`);
    for (const page of [logout, session]) {
      expect([page.status, JSON.parse(page.text).errors[0].extensions.code]).toEqual([503, 'GATEWAY_UNAVAILABLE']);
    }
    // The session may exist again once the store is back.
    expect(house.sessionCookie(browser)).toBeDefined();

    house.forgetCalls();
    for (const url of [`${house.url}/auth/waste/login`, underWay]) {
      const page = await browser.get(url);
      expect([page.status, page.text]).toEqual([503, expect.stringContaining('cannot store a login at the moment')]);
    }
    expect(house.exchanges()).toBe(0);

    // Invented cookies need the store too; its absence is told once, without a stack.
    for (let invented = 0; invented < 20; invented += 1) {
      const headers = { cookie: `passerelle=${String(invented).padStart(43, 'A')}` };
      const response = await fetch(`${house.url}/auth/session`, { headers });
      expect(response.status).toBe(503);
    }
    const logged = house.log.lines.slice(linesBefore).filter(({ level }) => level === 'error');
    expect(logged.map(({ message }) => message).sort()).toEqual([
      'the session store cannot be used',
      'the shared store cannot be reached',
      'the shared store cannot be reached',
    ]);
    expect(logged.filter(({ fields }) => 'err' in fields)).toEqual([]);
    await house.close();
  },
);

it.skipIf(redis === null)('a frozen Redis is told once, however many cookies are invented meanwhile', async () => {
  const server = await startRedis();
  if (server === null) return;
  const house = await startAuthStack({ shape: 'in process', env: { CACHE_URL: server.url, SESSION_SECRET } });
  try {
    server.freeze();
    const cookies = Array.from({ length: 10 }, (_, n) => `passerelle=${String(n).padStart(43, 'A')}`);
    const asked = cookies.flatMap((cookie) => [
      fetch(`${house.url}/auth/session`, { headers: { cookie } }),
      fetch(`${house.url}/auth/waste/logout`, { method: 'POST', headers: { cookie, 'x-passerelle-csrf': '1' } }),
      fetch(`${house.url}/graphql`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: '{"query":"{ viewer { id } }"}',
      }),
      fetch(`${house.url}/auth/waste/callback?code=a&state=${cookie}`, {
        headers: { cookie: `passerelle-login=${cookie.slice(-43)}` },
      }),
    ]);
    const statuses = await Promise.all(asked.map(async (response) => (await response).status));
    expect(new Set(statuses)).toEqual(new Set([503, 200]));
    const logged = house.log.lines.filter(({ level }) => level === 'error' || level === 'warn');
    const messages = logged.map(({ message }) => message);
    expect(messages.filter((message) => message === 'the session store cannot be used')).toHaveLength(1);
    // One for each connection, of which the guarded one tells when it is given up.
    expect(messages.filter((message) => message === 'the shared store cannot be reached').length).toBeLessThan(3);
    // A busy machine is still asking when the quota finds Redis away too: a line for each service.
    const expected = /^(the (session store cannot be used|shared store cannot|quota is on its local)|Redis is away)/;
    expect(messages.filter((message) => !expected.test(message))).toEqual([]);
    expect(messages.length).toBeLessThan(10);
    expect(logged.filter(({ fields }) => 'err' in fields)).toEqual([]);
  } finally {
    server.thaw();
    await house.close();
    await server.close();
  }
});
