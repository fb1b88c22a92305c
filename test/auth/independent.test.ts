import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CODE_SECONDS, type IndependentServer, startIndependentServer } from './independent-server.js';
import { type AuthStack, startAuthStack } from './support/auth-stack.js';
import { type Browser, openBrowser, type Page } from './support/browser.js';

describe('against an authorization server of others (oidc-provider)', () => {
  let server: IndependentServer;
  let house: AuthStack;
  beforeAll(async () => {
    server = await startIndependentServer();
    house = await startAuthStack({
      shape: 'in process',
      env: {
        WASTE_AUTH_URL: server.url,
        WASTE_API_URL: server.url,
        WASTE_CLIENT_ID: server.client.id,
        WASTE_CLIENT_SECRET: server.client.secret,
      },
    });
    server.open(`${house.url}/auth/waste/callback`);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(async () => {
    await house.close();
    await server.close();
  });

  const consentPage = async (browser: Browser): Promise<Page> => {
    const login = await browser.visit(`${house.url}/auth/waste/login?returnTo=/readyz`);
    return browser.submit(login, { login: 'camille', password: 'any' });
  };
  /** Logs in up to the redirect to our callback, which is not followed; returns its address. */
  const callbackFor = async (browser: Browser): Promise<string> => {
    const target = `${house.url}/auth/waste/callback`;
    return (await browser.submit(await consentPage(browser), {}, target)).headers.get('location') ?? '';
  };
  const connected = async (browser: Browser) =>
    (await house.session(browser)) as { waste: { connected: boolean; reconnect: boolean } };

  it('a login with PKCE enforced ends connected, and viewer answers', async () => {
    const browser = openBrowser();
    const end = await browser.submit(await consentPage(browser));
    expect([end.status, end.url]).toEqual([200, `${house.url}/readyz`]);
    expect(await house.session(browser)).toMatchObject({ waste: { connected: true, reconnect: false } });
    const { data } = await house.send(browser, '{ viewer { id email } }');
    expect(data.viewer).toEqual({ id: 'camille', email: 'camille@example.org' });
  });

  it('a refusal is told in a clean page, without an exchange', async () => {
    const browser = openBrowser();
    const consent = await consentPage(browser);
    const abort = /href="([^"]*\/abort)"/.exec(consent.text)?.[1] ?? '';
    const before = server.exchanges.length;
    const page = await browser.visit(new URL(abort, consent.url).href);
    expect(page.status).toBe(403);
    expect(page.text).toContain('You did not give access');
    expect(server.exchanges).toHaveLength(before);
    expect((await connected(browser)).waste.connected).toBe(false);
  });

  it('a code that has expired there is a page that offers a new login', async () => {
    const browser = openBrowser();
    const url = await callbackFor(browser);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (CODE_SECONDS + 60) * 1000 });
    const page = await browser.get(url);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('Log in again')]);
    expect(server.exchanges.at(-1)).toBe(400);
    expect((await connected(browser)).waste.connected).toBe(false);
  });

  it('a login that has expired here makes no exchange', async () => {
    const browser = openBrowser();
    const url = await callbackFor(browser);
    const before = server.exchanges.length;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    expect((await browser.get(url)).status).toBe(400);
    expect(server.exchanges).toHaveLength(before);
  });

  it('a callback that is played twice makes one exchange', async () => {
    const browser = openBrowser();
    const url = await callbackFor(browser);
    const before = server.exchanges.length;
    const pages = await Promise.all([browser.get(url), browser.get(url)]);
    expect(pages.map(({ status }) => status).sort()).toEqual([303, 400]);
    expect((await browser.get(url)).status).toBe(400);
    expect(server.exchanges).toHaveLength(before + 1);
  });

  it('an iss is refused, because the platform is not known to send one', async () => {
    const browser = openBrowser();
    const url = new URL(await callbackFor(browser));
    url.searchParams.set('iss', server.url);
    const before = server.exchanges.length;
    expect((await browser.get(url.href)).status).toBe(400);
    expect(server.exchanges).toHaveLength(before);
  });
});
