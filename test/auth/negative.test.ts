import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthStack, startAuthStack } from './support/auth-stack.js';

/** The negative tests of the requirement list, one for each row of its table (waste-identity 10.7). */
describe('the gateway', () => {
  let house: AuthStack;
  const callback = () => `${house.url}/auth/waste/callback`;
  const ALLOWED = 'https://allowed.example';
  beforeAll(async () => {
    house = await startAuthStack({ shape: 'in process', env: { CORS_ORIGINS: ALLOWED } });
  });
  beforeEach(() => house.forgetCalls());
  afterAll(() => house.close());

  describe('refuses, without a token request, a callback', () => {
    it('without a cookie', async () => {
      const { browser, user } = house.person();
      const url = await house.callbackFor(browser, user);
      expect((await house.person().browser.get(url)).status).toBe(400);
      expect(house.exchanges()).toBe(0);
    });

    it("with another browser's cookie", async () => {
      const { browser, user } = house.person();
      const other = house.person(1);
      const url = await house.callbackFor(browser, user);
      await house.callbackFor(other.browser, other.user);
      expect((await other.browser.get(url)).status).toBe(400);
      expect(house.exchanges()).toBe(0);
    });

    it('with a stale state, or the state of another transaction', async () => {
      const { browser, user } = house.person();
      const first = new URL(await house.callbackFor(browser, user));
      await browser.get(first.href);
      house.forgetCalls();
      const second = new URL(await house.callbackFor(browser, user));
      second.searchParams.set('state', first.searchParams.get('state') ?? '');
      expect((await browser.get(second.href)).status).toBe(400);
      const stranger = house.person(1);
      const theirs = new URL(await house.callbackFor(stranger.browser, stranger.user));
      second.searchParams.set('state', theirs.searchParams.get('state') ?? '');
      expect((await browser.get(second.href)).status).toBe(400);
      expect(house.exchanges()).toBe(0);
    });

    it('with code and error both, with two codes, with a code of 10 kB, with neither, with two states', async () => {
      const { browser, user } = house.person();
      const spoil: ((url: URL) => void)[] = [
        (url) => url.searchParams.set('error', 'access_denied'),
        (url) => url.searchParams.append('code', 'another'),
        (url) => url.searchParams.set('code', 'x'.repeat(10_000)),
        (url) => url.searchParams.delete('code'),
        (url) => url.searchParams.append('state', 'another'),
      ];
      for (const change of spoil) {
        const url = new URL(await house.callbackFor(browser, user));
        change(url);
        expect((await browser.get(url.href)).status).toBe(400);
      }
      expect(house.exchanges()).toBe(0);
      expect(house.sessionCookie(browser)).toBeUndefined();
    });

    it('with access_denied and no state, or a wrong one', async () => {
      const { browser, user } = house.person();
      await house.callbackFor(browser, user);
      for (const query of ['error=access_denied', 'error=access_denied&state=wrong']) {
        const page = await browser.get(`${callback()}?${query}`);
        expect(page.status).toBe(400);
        expect(page.text).toContain('expired or is unknown');
      }
      expect(house.exchanges()).toBe(0);
    });

    it('with an iss, which this platform does not send', async () => {
      for (const iss of ['present', 'wrong'] as const) {
        const { browser, user } = house.person();
        house.sandbox.waste.switches.iss = iss;
        const page = await browser.get(await house.callbackFor(browser, user));
        house.sandbox.waste.switches.iss = 'absent';
        expect(page.status).toBe(400);
        expect(house.sessionCookie(browser)).toBeUndefined();
      }
      expect(house.exchanges()).toBe(0);
    });

    it("of one upstream on another's path", async () => {
      const { browser, user } = house.person();
      const url = await house.callbackFor(browser, user);
      expect((await browser.get(url.replace('/auth/waste/', '/auth/volunteering/'))).status).toBe(404);
      expect(house.exchanges()).toBe(0);
      expect((await browser.get(url)).status).toBe(303);
    });

    it('that is not a GET', async () => {
      const { browser, user } = house.person();
      const url = await house.callbackFor(browser, user);
      for (const init of [
        { method: 'HEAD' },
        { method: 'OPTIONS' },
        { method: 'POST', body: new URLSearchParams('a=b') },
      ]) {
        const refused = await fetch(url, { ...init, headers: { cookie: 'passerelle-login=x' } });
        expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET']);
      }
      expect(house.exchanges()).toBe(0);
      expect((await browser.get(url)).status).toBe(303);
    });
  });

  it('makes one exchange of the same callback twice, one after the other and at the same time', async () => {
    const { browser, user } = house.person();
    const url = await house.callbackFor(browser, user);
    const at = await Promise.all([browser.get(url), browser.get(url), browser.get(url)]);
    expect(at.map(({ status }) => status).sort()).toEqual([303, 400, 400]);
    const session = house.sessionCookie(browser);
    const { status, headers } = await browser.get(url);
    expect([status, headers.getSetCookie()]).toEqual([400, []]);
    expect([house.exchanges(), house.sessionCookie(browser)]).toEqual([1, session]);
    expect(await house.session(browser)).toMatchObject({ waste: { connected: true } });
  });

  it('tells a refusal at the platform in a clean page', async () => {
    const { browser, user } = house.person();
    const url = new URL(await house.callbackFor(browser, user));
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    url.searchParams.set('error_description', '<script>alert(1)</script> words of a stranger');
    const page = await browser.get(url.href);
    expect(page.status).toBe(403);
    expect(page.text).toContain('You did not give access');
    expect(page.text).not.toMatch(/stranger|access_denied|script/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(house.exchanges()).toBe(0);
  });

  it.each([
    [`${ALLOWED}/map?q=a&b=%22#top`, `${ALLOWED}/map?q=a&#38;b=%22#top`],
    ['/graphiql', '/graphiql'],
    ['https://evil.example/', '/'],
    [`${ALLOWED}.evil.example/`, '/'],
  ])('leads from a refused login to %s back to %s', async (returnTo, back) => {
    const { browser, user } = house.person();
    const url = new URL(await house.callbackFor(browser, user, returnTo));
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    const page = await browser.get(url.href);
    const links = [...page.text.matchAll(/<a href="([^"]*)">([^<]*)</g)].map(([, href, text]) => [text, href]);
    expect(links).toEqual([
      ['Log in again', expect.stringMatching(/^\/auth\/waste\/login\?returnTo=/)],
      [back === '/' ? 'Back to Passerelle' : 'Back to the page', back],
    ]);
    // The state is used up, and the address to return to is lost with it.
    const again = await browser.get(url.href);
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('<a href="/">Back to Passerelle</a>')]);
  });

  it('explains a failed login in the language of the browser', async () => {
    const { browser, user } = house.person();
    const url = new URL(await house.callbackFor(browser, user, `${ALLOWED}/map`));
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    const page = await browser.get(url.href, { 'accept-language': 'fr-FR,fr;q=0.9,en;q=0.8' });
    expect([page.headers.get('content-language'), page.headers.get('vary')]).toEqual(['fr', 'Accept-Language']);
    expect(page.text).toContain('<html lang="fr">');
    expect(page.text).toContain('Vous n’avez pas donné accès');
    expect(page.text).toContain(`<a href="${ALLOWED}/map">Retour à la page</a>`);
  });

  it('recognises a token that is revoked between two queries, marks the session and answers the rest', async () => {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    const query = '{ viewer { email } departements { codeInsee } }';
    expect((await house.send(browser, query)).errors).toBeUndefined();
    house.sandbox.waste.revoke(user.email);
    for (const calls of [1, 0]) {
      house.forgetCalls();
      const { data, errors } = await house.send(browser, query);
      expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
        [['viewer'], 'RECONNECT_REQUIRED'],
      ]);
      expect(data.viewer).toBeNull();
      expect(data.departements.length).toBeGreaterThan(90);
      expect(await house.session(browser)).toMatchObject({ waste: { connected: false, reconnect: true } });
      expect(house.calls().filter((line) => line.startsWith('waste-identity'))).toHaveLength(calls);
    }
    await house.logIn(browser, user);
    expect((await house.send(browser, query)).data.viewer).toEqual({ email: user.email });
  });

  it("keeps the token where a proxy's page with 401 stands before the platform", async () => {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    const end = house.sandbox.waste.fault({ kind: 'html', status: 401, path: '/' });
    const { errors } = await house.send(browser, '{ viewer { email } }');
    end();
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(await house.session(browser)).toMatchObject({ waste: { connected: true } });
    expect((await house.send(browser, '{ viewer { email } }')).data.viewer).toEqual({ email: user.email });
  });

  it('refuses a logout by a form of another site, by GET, without the header, and by a foreign page', async () => {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    const logout = `${house.url}/auth/waste/logout`;
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' };
    const header = { 'x-passerelle-csrf': '1' };
    expect((await browser.post(logout, 'a=b', form)).status).toBe(415);
    expect((await browser.get(logout, header)).status).toBe(405);
    expect((await browser.post(logout, undefined)).status).toBe(403);
    expect((await browser.post(logout, '{}', { 'content-type': 'application/json' })).status).toBe(403);
    expect((await browser.post(logout, undefined, { ...header, origin: 'https://evil.example' })).status).toBe(403);
    expect((await browser.post(logout, undefined, { ...header, origin: 'null' })).status).toBe(403);
    expect((await browser.post(logout, undefined, { ...header, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(await house.session(browser)).toMatchObject({ waste: { connected: true } });
    expect(
      (await browser.post(logout, undefined, { ...header, origin: ALLOWED, 'sec-fetch-site': 'same-site' })).status,
    ).toBe(200);
    expect(await house.session(browser)).toMatchObject({ waste: { connected: false } });
  });

  it('logs out while the platform is down, again and again, and says what it cannot do there', async () => {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    const cookie = house.sessionCookie(browser);
    await house.sandbox.waste.stopListening();
    for (const type of [{}, { 'content-type': 'application/json' }]) {
      const headers = { 'x-passerelle-csrf': '1', ...type };
      const page = await browser.post(`${house.url}/auth/waste/logout`, undefined, headers);
      expect(page.status).toBe(200);
      expect(JSON.parse(page.text)).toMatchObject({ waste: { connected: false }, upstream: { revoked: false } });
      expect(page.text).toContain('Mon compte > Applications et API');
    }
    await house.sandbox.waste.startListening();
    const current = await fetch(`${house.url}/auth/session`, { headers: { cookie: `passerelle=${cookie}` } });
    expect(await current.json()).toMatchObject({ waste: { connected: false } });
  });

  it.each(['https://evil.example', 'null'])('does not act with the session for a page of %s', async (origin) => {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    house.forgetCalls();
    const graphql = `${house.url}/graphql`;
    const json = { 'content-type': 'application/json' };
    const query = '{ viewer { email } }';
    const requested = [
      await browser.post(graphql, JSON.stringify({ query }), { ...json, origin }),
      await browser.post(graphql, JSON.stringify({ query }), {
        ...json,
        origin: house.url,
        'sec-fetch-site': 'same-site',
      }),
      await browser.get(`${graphql}?${new URLSearchParams({ query })}`),
      await browser.get(`${graphql}?${new URLSearchParams({ query })}`, { 'x-passerelle-csrf': '1', origin }),
    ];
    expect(requested.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(requested.some(({ text }) => text.includes(user.email))).toBe(false);
    expect(house.calls()).toEqual([]);
  });

  it('acts with the session for its own pages, for allowed ones and for programs', async () => {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    const json = { 'content-type': 'application/json' };
    const senders = [
      json,
      { ...json, origin: house.url, 'sec-fetch-site': 'same-origin' },
      { ...json, origin: ALLOWED },
    ];
    for (const headers of senders) {
      const page = await browser.post(`${house.url}/graphql`, '{"query":"{ viewer { email } }"}', headers);
      expect(JSON.parse(page.text)).toEqual({ data: { viewer: { email: user.email } } });
      expect(page.headers.get('cache-control')).toBe('private, no-store');
    }
    const get = await browser.get(`${house.url}/graphql?query={viewer{email}}`, { 'x-passerelle-csrf': '1' });
    expect(get.text).toContain(user.email);
    const session = await browser.get(`${house.url}/auth/session`, { origin: ALLOWED });
    expect(session.headers.get('access-control-allow-origin')).toBe(ALLOWED);
    const foreign = await browser.get(`${house.url}/auth/session`, { origin: 'https://evil.example' });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('lets a bearer token win over the cookie, which then needs no guard', async () => {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    const other = house.person(1).user;
    const authorization = `Bearer ${house.sandbox.waste.userTokens.get(other.email)}`;
    const page = await browser.get(`${house.url}/graphql?query={viewer{email}}`, { authorization });
    expect(JSON.parse(page.text)).toEqual({ data: { viewer: { email: other.email } } });
    house.sandbox.waste.revoke(other.email);
    const refused = await browser.get(`${house.url}/graphql?query={viewer{email}}`, { authorization });
    expect(refused.text).toContain('RECONNECT_REQUIRED');
    expect(await house.session(browser)).toMatchObject({ waste: { connected: true } });
  });

  it('gives a restart message to a user who comes back after eleven minutes', async () => {
    const { browser, user } = house.person();
    const url = await house.callbackFor(browser, user);
    house.sandbox.waste.advance(11 * 60_000);
    const page = await browser.get(url);
    expect(page.status).toBe(400);
    expect(page.text).toContain('Log in again');
    expect(house.sessionCookie(browser)).toBeUndefined();
  });

  it('replaces a return path that leads elsewhere by /', async () => {
    for (const evil of ['//evil.example', '/\\evil.example', 'https:evil.example', '/%2f%2fevil.example']) {
      const { browser, user } = house.person();
      const page = await browser.get(await house.callbackFor(browser, user, evil));
      expect([page.status, page.headers.get('location')]).toEqual([303, '/']);
    }
  });

  it('never sends the token anywhere but to the platform: a redirect of the exchange is not followed', async () => {
    const heard: string[] = [];
    const thief = createServer((request, response) => {
      heard.push(`${request.url} ${JSON.stringify(request.headers)}`);
      response.end('{"access_token":"of-the-thief","token_type":"Bearer"}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => thief.once('listening', resolve));
    const address = thief.address() as { port: number };
    const stop = house.sandbox.waste.fault({
      kind: 'redirect',
      path: '/oauth2/token',
      headers: { location: `http://127.0.0.1:${address.port}/` },
    });
    const { browser, user } = house.person();
    const page = await browser.get(await house.callbackFor(browser, user));
    stop();
    thief.close();
    expect(page.status).toBeGreaterThanOrEqual(500);
    expect(heard).toEqual([]);
    expect(house.sessionCookie(browser)).toBeUndefined();
  });
});
