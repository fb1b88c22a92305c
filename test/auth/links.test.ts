import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthStack, startAuthStack } from './support/auth-stack.js';

describe('A link that is opened in a browser', () => {
  let house: AuthStack;
  beforeAll(async () => {
    house = await startAuthStack({ shape: 'in process' });
  });
  afterAll(() => house.close());

  const DOCUMENT = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const link = (query: string) => `/graphql?${new URLSearchParams({ format: 'csv', query })}`;
  const VIEWER = link('{ viewer { email } }');

  async function loggedIn() {
    const { browser, user } = house.person();
    await house.logIn(browser, user);
    return { user, cookie: `passerelle=${house.sessionCookie(browser)}` };
  }

  it.each([
    ['from the address bar', 'none'],
    ['from our own page', 'same-origin'],
  ])('is answered with the session %s', async (_from, site) => {
    const { user, cookie } = await loggedIn();
    const opened = await navigate(`${house.url}${VIEWER}`, {
      headers: { cookie, ...DOCUMENT, 'sec-fetch-site': site },
    });
    expect(opened).toMatchObject({ status: 200, text: expect.stringContaining(user.email) });
    expect(opened.headers['cache-control']).toBe('private, no-store');
  });

  it('is answered with public data, whatever became of the session', async () => {
    const departments = `${house.url}${link('{ departements { codeInsee } }')}`;
    for (const cookie of [`passerelle=${'A'.repeat(43)}`, '']) {
      const opened = await navigate(departments, { headers: { cookie, ...DOCUMENT } });
      expect(opened).toMatchObject({ status: 200, text: expect.stringContaining('codeInsee') });
    }
  });

  it.each<[string, Record<string, string> | null]>([
    ['by another name of the same site', { 'sec-fetch-site': 'same-site' }],
    ['by another site', { 'sec-fetch-site': 'cross-site' }],
    ['by a script of our own page', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
    ['as a script', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
    ['in a frame', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' }],
    ['by a page of another origin', { origin: 'https://evil.example' }],
    ['by a browser that does not say how', null],
  ])('is refused %s', async (_how, changed) => {
    const { cookie } = await loggedIn();
    house.forgetCalls();
    const headers = { cookie, ...(changed && { ...DOCUMENT, ...changed }) };
    expect((await navigate(`${house.url}${VIEWER}`, { headers })).status).toBe(403);
    expect(house.calls()).toEqual([]);
  });

  it('is no form, and changes nothing', async () => {
    const { cookie } = await loggedIn();
    house.forgetCalls();
    const own = { cookie, ...DOCUMENT, 'sec-fetch-site': 'same-origin', origin: house.url };
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=a']) {
      const headers = { ...own, 'content-type': type };
      const form = { method: 'POST', headers };
      expect((await navigate(`${house.url}${VIEWER}`, form, '{"query":"{ viewer { email } }"}')).status).toBe(415);
      expect((await navigate(`${house.url}${VIEWER}`, { headers })).status).toBe(403);
    }
    const change = link('mutation ($input: ApplicationInput!) { applyToJob(input: $input) { __typename } }');
    expect((await navigate(`${house.url}${change}`, { headers: { cookie, ...DOCUMENT } })).status).toBe(405);
    expect(house.calls()).toEqual([]);
  });
});

/** A request as from a browser's navigation: `fetch` would set `sec-fetch-mode` itself. */
async function navigate(url: string, options: RequestOptions, body?: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).once('error', reject).end(body);
  });
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}
