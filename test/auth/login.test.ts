import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthStack, SHAPES, startAuthStack } from './support/auth-stack.js';

describe.each(SHAPES)('a login, %s', (shape) => {
  let house: AuthStack;
  beforeAll(async () => {
    house = await startAuthStack({ shape });
  });
  afterAll(() => house.close());

  it('goes over the pages of the platform and ends where it started, connected', async () => {
    const { browser, user } = house.person();
    const login = await browser.visit(`${house.url}/auth/waste/login?returnTo=/readyz`);
    expect(login.text).toContain('Mot de passe');
    const consent = await browser.submit(login, { email: user.email, password: user.password });
    expect(consent.text).toContain('Autoriser');
    const end = await browser.submit(consent);
    expect(new URL(end.url).href).toBe(`${house.url}/readyz`);
    expect(await house.session(browser)).toEqual({
      waste: { connected: true, reconnect: false, user: { name: user.name, email: user.email } },
    });
    // Scripts may also read it as text.
    const { text } = await browser.get(`${house.url}/auth/session`);
    expect(text).toMatch(/^\{"waste":\{"connected":true,"user":\{[^ ]/);
    const { data, errors } = await house.send(browser, '{ viewer { id email companies { siret } } }');
    expect(errors).toBeUndefined();
    expect(data.viewer).toMatchObject({ id: user.id, email: user.email });
  });

  it('is requested, and ended, in the form that the platform documents', async () => {
    const { browser, user } = house.person(1);
    const start = await browser.get(`${house.url}/auth/waste/login`);
    const dialog = new URL(start.headers.get('location') ?? '');
    expect(`${dialog.origin}${dialog.pathname}`).toBe(`${house.sandbox.waste.authUrl}/oauth2/authorize/dialog`);
    const redirectUri = `${house.url}/auth/waste/callback`;
    const requested = Object.fromEntries(dialog.searchParams);
    expect([...dialog.searchParams]).toHaveLength(Object.keys(requested).length);
    expect(requested).toEqual({
      client_id: house.sandbox.waste.client.id,
      response_type: 'code',
      redirect_uri: redirectUri,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });

    house.forgetCalls();
    await house.logIn(browser, user);
    const [exchange, identity, ...more] = house.sandbox.waste.calls.filter(({ method }) => method === 'POST');
    expect(more).toEqual([]);
    // The sandbox reports as key the client that authenticated by HTTP Basic.
    expect(exchange).toMatchObject({ url: '/oauth2/token', key: house.sandbox.waste.client.id, status: 200 });
    expect(exchange?.body).toEqual({
      grant_type: 'authorization_code',
      code: expect.any(String),
      redirect_uri: redirectUri,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(identity).toMatchObject({ url: '/', key: user.email, status: 200 });
  });

  it('is possible in several tabs at once, and each comes back to its own page', async () => {
    const { browser, user } = house.person(2);
    const first = await house.callbackFor(browser, user, '/readyz?tab=1');
    const second = await house.callbackFor(browser, user, '/readyz?tab=2');
    expect((await browser.get(first)).headers.get('location')).toBe('/readyz?tab=1');
    expect((await browser.get(second)).headers.get('location')).toBe('/readyz?tab=2');
  });
});
