import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedChromium } from '../browser/browsing.js';
import { type AuthStack, startAuthStack } from './support/auth-stack.js';

describe('in Chromium', () => {
  let house: AuthStack;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    const chromium = await sharedChromium();
    house = await startAuthStack({ shape: 'in process' });
    context = await chromium.freshContext();
    // Only `fetch` uses our page here, and loading all of it each time would be most of the work.
    await context.route('**/graphiql/assets/**', (route) => route.abort());
    page = await context.newPage();
  });
  afterAll(async () => {
    await context?.close();
    await house?.close();
  });

  /** The session as the page's own scripts read it, with the browser's cookies. */
  const sessionInPage = () => page.evaluate('fetch("/auth/session").then((response) => response.json())');

  it('a login over the platform’s pages ends in the page that was left, connected, with a cookie no script can read', async () => {
    const { user } = house.person();
    await page.goto(`${house.url}/auth/waste/login?returnTo=/graphiql`);
    await page.fill('input[name=email]', user.email);
    await page.fill('input[name=password]', user.password);
    await page.click('button[type=submit]');
    await page.click('button:not([name])');
    await page.waitForURL(`${house.url}/graphiql`);
    expect(await sessionInPage()).toEqual({
      waste: { connected: true, reconnect: false, user: { name: user.name, email: user.email } },
    });
    expect(await page.evaluate('document.cookie')).toBe('');
    const cookies = await context.cookies(house.url);
    expect(cookies.filter(({ name }) => name.startsWith('passerelle'))).toEqual([
      expect.objectContaining({ name: 'passerelle', httpOnly: true, sameSite: 'Strict', path: '/', expires: -1 }),
    ]);
    const viewer = await page.evaluate(`fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ viewer { email } }' }),
    }).then((response) => response.json())`);
    expect(viewer).toEqual({ data: { viewer: { email: user.email } } });
  });

  it('a data link that is opened shows what the user may see, and one on a page of another origin does not', async () => {
    const { user } = house.person();
    const link = `${house.url}/graphql?query={viewer{email}}`;
    const opened = await page.goto(link);
    expect([opened?.status(), await opened?.json()]).toEqual([200, { data: { viewer: { email: user.email } } }]);
    await page.goto(house.sandbox.waste.authUrl);
    const loaded = page.waitForResponse((response) => response.url().startsWith(`${house.url}/graphql`));
    await page.evaluate(`void (location.href = '${link}')`);
    expect((await loaded).status()).toBe(403);
    await page.waitForURL(`${house.url}/graphql**`);
  });

  it('a page of another origin can neither read the session nor act with it', async () => {
    const other = house.sandbox.waste.authUrl;
    await page.goto(other);
    const attempts = await page.evaluate(`Promise.all([
      fetch('${house.url}/auth/session', { credentials: 'include' }),
      fetch('${house.url}/auth/waste/logout', { method: 'POST', credentials: 'include', headers: { 'x-passerelle-csrf': '1' } }),
      fetch('${house.url}/graphql?query={viewer{email}}', { credentials: 'include' }),
    ].map((requested) => requested.then(() => 'read', () => 'refused')))`);
    expect(attempts).toEqual(['refused', 'refused', 'refused']);
    await page.goto(`${house.url}/graphiql`);
    expect(await sessionInPage()).toMatchObject({ waste: { connected: true } });
  });

  it('a logout ends it', async () => {
    const said = await page.evaluate(`fetch('/auth/waste/logout', {
      method: 'POST',
      headers: { 'x-passerelle-csrf': '1' },
    }).then((response) => response.json())`);
    expect(said).toMatchObject({ waste: { connected: false }, upstream: { revoked: false } });
    expect(await sessionInPage()).toEqual({ waste: { connected: false, reconnect: false, user: null } });
    expect((await context.cookies(house.url)).map(({ name }) => name)).not.toContain('passerelle');
  });
});
