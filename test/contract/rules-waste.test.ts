import { isInputObjectType, isObjectType } from 'graphql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfigurationError, readConfiguration } from '../../runtime/configuration/configuration.js';
import { type AuthStack, startAuthStack } from '../auth/support/auth-stack.js';
import { api } from './graph.js';

/** The authorization-code flow of the waste platform, against the sandbox's platform: waste-identity 12.1 to 12.7. */

const MINUTE = 60_000;

let house: AuthStack;
beforeAll(async () => {
  house = await startAuthStack({ shape: 'in process', sandbox: { era: 'seed', scale: 0.02 } });
});
beforeEach(() => house.forgetCalls());
afterEach(() => {
  house.sandbox.waste.clearFaults();
  house.sandbox.waste.era = 'seed';
});
afterAll(() => house.close());

/** The address to which our login redirects a browser, by default one without cookies. */
async function dialogOf(browser = house.person().browser): Promise<URL> {
  const start = await browser.get(`${house.url}/auth/waste/login?returnTo=/readyz`);
  expect(start.status).toBe(302);
  return new URL(start.headers.get('location') ?? '');
}

const VIEWER = '{ viewer { email name } }';

describe('the client application', () => {
  test.each(['WASTE_CLIENT_ID', 'WASTE_CLIENT_SECRET'])(
    'WI-6 it has credentials: without %s nothing starts',
    (missing) => {
      const all = {
        WASTE_AUTH_URL: 'https://app.example',
        WASTE_API_URL: 'https://api.example',
        WASTE_CLIENT_ID: 'client',
        WASTE_CLIENT_SECRET: 'client-secret',
      };
      const refusal = () => readConfiguration('all', { ...all, [missing]: undefined });
      expect(refusal).toThrow(ConfigurationError);
      expect(refusal).toThrow(missing);
    },
  );

  test('WI-3, WI-6 no field or argument of the graph takes a password, or names a credential or redirect of the client', () => {
    const names = Object.values(api.getTypeMap()).flatMap((type) => {
      if (isInputObjectType(type)) return Object.keys(type.getFields());
      if (!isObjectType(type)) return [];
      return Object.values(type.getFields()).flatMap(({ name, args }) => [
        name,
        ...args.map((argument) => argument.name),
      ]);
    });
    expect(names.length).toBeGreaterThan(400);
    expect(names.filter((name) => /password|secret|token|redirect|authorizationCode/i.test(name))).toEqual([]);
  });
});

describe('the authorization request', () => {
  test('WI-2, WI-13 the browser is sent to the dialog below the authorization address, which is not that of the exchange', async () => {
    const { authUrl, url } = house.sandbox.waste;
    expect(authUrl).not.toBe(url);
    const dialog = await dialogOf();
    expect(`${dialog.origin}${dialog.pathname}`).toBe(`${authUrl}/oauth2/authorize/dialog`);
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    expect(house.sandbox.waste.calls.map((call) => call.url)).toEqual(['/oauth2/token', '/']);
  });

  test('WI-4, WI-14 it has client_id, response_type code and redirect_uri, once each', async () => {
    const { searchParams } = await dialogOf();
    expect(searchParams.getAll('client_id')).toEqual([house.sandbox.waste.client.id]);
    expect(searchParams.getAll('response_type')).toEqual(['code']);
    expect(searchParams.getAll('redirect_uri')).toEqual([`${house.url}/auth/waste/callback`]);
  });

  test('WI-3, WI-15, WI-16 the platform requests the password and for the consent, and sends the user back with a code', async () => {
    const { browser, user } = house.person();
    const login = await browser.visit((await dialogOf(browser)).href);
    expect(new URL(login.url).origin).toBe(house.sandbox.waste.authUrl);
    expect(login.text).toContain('Mot de passe');
    const consent = await browser.submit(login, { email: user.email, password: user.password });
    expect(new URL(consent.url).origin).toBe(house.sandbox.waste.authUrl);
    expect(consent.text).toContain('Autoriser');
    const end = await browser.submit(consent);
    expect(end.url).toBe(`${house.url}/readyz`);
    const exchange = house.sandbox.waste.calls.find(({ url }) => url === '/oauth2/token');
    expect(exchange?.body).toMatchObject({ code: expect.stringMatching(/.{8}/) });
  });

  test('WI-28 an invalid parameter comes back as an error: a page says so, nothing is exchanged, nobody is sent elsewhere', async () => {
    const { browser, user } = house.person();
    const dialog = await dialogOf(browser);
    dialog.searchParams.set('response_type', 'token');
    house.sandbox.waste.switches.presetUser = user.email;
    const back = (await browser.get(dialog.href)).headers.get('location') ?? '';
    house.sandbox.waste.switches.presetUser = null;
    expect(back.startsWith(`${house.url}/auth/waste/callback?`)).toBe(true);
    expect(new URL(back).searchParams.get('error')).toBe('unsupported_response_type');
    const page = await browser.get(`${back}&error_uri=https://evil.example`);
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect([page.headers.get('location'), page.headers.get('content-type')]).toEqual([
      null,
      'text/html; charset=utf-8',
    ]);
    expect(page.text).not.toContain('evil.example');
    expect(house.exchanges()).toBe(0);
    expect(house.sessionCookie(browser)).toBeUndefined();
  });
});

describe('the code', () => {
  test('WI-7 a callback with its code ends the login; one without does not', async () => {
    const { browser, user } = house.person();
    const without = new URL(await house.callbackFor(browser, user));
    without.searchParams.delete('code');
    expect((await browser.get(without.href)).status).toBeGreaterThanOrEqual(400);
    expect([house.exchanges(), house.sessionCookie(browser)]).toEqual([0, undefined]);
    expect((await house.logIn(browser, user)).status).toBe(200);
    expect(await house.session(browser)).toMatchObject({ waste: { connected: true } });
  });

  test('WI-9 it is good for ten minutes: after that the exchange fails, and a fresh login is offered', async () => {
    const early = house.person();
    const inTime = await house.callbackFor(early.browser, early.user);
    house.sandbox.waste.advance(10 * MINUTE - 5_000);
    expect((await early.browser.get(inTime)).status).toBe(303);

    const late = house.person();
    const tooLate = await house.callbackFor(late.browser, late.user);
    house.sandbox.waste.advance(10 * MINUTE + 1_000);
    const page = await late.browser.get(tooLate);
    expect(page.status).toBe(400);
    expect(page.text).toContain('href="/auth/waste/login?');
    expect(house.sessionCookie(late.browser)).toBeUndefined();
  });
});

describe('the exchange', () => {
  test('WI-22 its redirect_uri is that of the authorization request: the platform refuses another', async () => {
    const { browser, user } = house.person();
    const requested = (await dialogOf()).searchParams.get('redirect_uri');
    await house.logIn(browser, user);
    expect(house.sandbox.waste.calls[0]?.body).toMatchObject({ redirect_uri: requested });

    const callback = new URL(await house.callbackFor(browser, user));
    const { waste } = house.sandbox;
    const refused = await fetch(`${waste.url}/oauth2/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${waste.client.id}:${waste.client.secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: callback.searchParams.get('code') ?? '',
        redirect_uri: 'https://elsewhere.example/callback',
      }),
    });
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })]);
  });

  test.each([
    ['seed', 400],
    ['today', 403],
  ] as const)(
    'WI-29 a failed one is a clear page, asked for once, without a secret: %s answers %i',
    async (era, status) => {
      const { waste } = house.sandbox;
      const { browser, user } = house.person();
      waste.era = era;
      const callback = await house.callbackFor(browser, user);
      waste.advance(11 * MINUTE);
      const page = await browser.get(callback);
      expect(page.status).toBe(400);
      expect(waste.calls.map((call) => [call.url, call.status])).toEqual([['/oauth2/token', status]]);
      const code = new URL(callback).searchParams.get('code') ?? 'none';
      for (const secret of [code, waste.client.secret]) {
        expect(page.text).not.toContain(secret);
        expect(house.log.text()).not.toContain(secret);
      }
    },
  );

  test('WI-29 an exchange that the platform cannot answer is not repeated', async () => {
    const { browser, user } = house.person();
    house.sandbox.waste.fault({ kind: 'status', status: 503, path: '/oauth2/token' });
    expect((await house.logIn(browser, user)).status).toBeGreaterThanOrEqual(500);
    expect(house.exchanges()).toBe(1);
    expect(house.sessionCookie(browser)).toBeUndefined();
  });
});

describe('the token', () => {
  test.each(['seed', 'today'] as const)(
    'WI-8, WI-25 is kept for the browser, whose later requests tell e-mail and name by its cookie alone: %s',
    async (era) => {
      house.sandbox.waste.era = era;
      const { browser, user } = house.person(1);
      await house.logIn(browser, user);
      const { email, name } = user;
      expect(await house.session(browser)).toEqual({
        waste: { connected: true, reconnect: false, user: { email, name } },
      });
      expect(await house.send(browser, VIEWER)).toMatchObject({ data: { viewer: { email, name } } });
      expect(house.sandbox.waste.calls.at(-1)?.key).toBe(email);
    },
  );

  test('WI-10 does not expire, and no refresh is requested', async () => {
    const { browser, user } = house.person(2);
    await house.logIn(browser, user);
    house.sandbox.waste.advance(365 * 24 * 60 * MINUTE);
    expect(await house.send(browser, VIEWER)).toMatchObject({ data: { viewer: { email: user.email } } });
    const grants = house.sandbox.waste.calls.filter((call) => call.url === '/oauth2/token').map(({ body }) => body);
    expect(grants).toEqual([expect.objectContaining({ grant_type: 'authorization_code' })]);
  });

  test('WI-11 may be revoked at any time: the viewer must reconnect, and other sources still answer', async () => {
    const { browser, user } = house.person(3);
    await house.logIn(browser, user);
    expect(house.sandbox.waste.revoke(user.email)).toBeGreaterThan(0);
    const { data, errors } = await house.send(browser, '{ viewer { email } departements { codeInsee } }');
    expect(errors?.map(({ extensions, path }) => [extensions.code, path])).toEqual([
      ['RECONNECT_REQUIRED', ['viewer']],
    ]);
    expect(data.viewer).toBeNull();
    expect(data.departements.length).toBeGreaterThan(90);
    expect(await house.session(browser)).toMatchObject({ waste: { connected: false, reconnect: true } });
  });
});
