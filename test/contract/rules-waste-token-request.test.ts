import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthStack, startAuthStack } from '../auth/support/auth-stack.js';
import { temporaryFolder } from '../temporary-folder.js';
import { startTokenEndpoint, type TokenEndpoint } from './support/token-endpoint.js';

/** Guards the token request and its response, byte for byte: waste-identity 12.2, 12.3 and 12.4.2. */

let platform: TokenEndpoint;
let house: AuthStack;
let cacheDir: string;
beforeAll(async () => {
  platform = await startTokenEndpoint();
  cacheDir = temporaryFolder();
  house = await startAuthStack({
    shape: 'in process',
    sandbox: { era: 'seed', scale: 0.02 },
    env: { WASTE_API_URL: platform.url, CACHE_DIR: cacheDir },
  });
});
afterAll(async () => {
  await house.close();
  await platform.close();
});

/** Logs in with a new browser; returns what was sent over the wire for it. */
async function logIn() {
  const { browser, user } = house.person();
  const callback = await house.callbackFor(browser, user);
  const end = await browser.visit(callback);
  const request = platform.exchanges.at(-1);
  if (request === undefined) throw new Error('There was no token request.');
  return { browser, end, request, code: new URL(callback).searchParams.get('code') };
}

test('WI-18, WI-20 it is a POST of a form to oauth2/token below the token address', async () => {
  const { request } = await logIn();
  expect([request.method, request.url]).toEqual(['POST', '/oauth2/token']);
  expect(request.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded(;|$)/);
});

test('WI-19 it shows client_id and client_secret by HTTP Basic, and the secret nowhere else', async () => {
  const { request } = await logIn();
  const { id, secret } = house.sandbox.waste.client;
  const [scheme, credentials = ''] = request.headers.authorization?.split(' ') ?? [];
  expect([scheme, Buffer.from(credentials, 'base64').toString()]).toEqual(['Basic', `${id}:${secret}`]);
  for (const place of [request.body, request.url, house.log.text()]) expect(place).not.toContain(secret);
});

test('WI-4, WI-21, WI-22 its body has grant_type authorization_code, the code and the redirect_uri, once each', async () => {
  const { request, code } = await logIn();
  const form = new URLSearchParams(request.body);
  expect(form.getAll('grant_type')).toEqual(['authorization_code']);
  expect(form.getAll('code')).toEqual([code]);
  expect(form.getAll('redirect_uri')).toEqual([`${house.url}/auth/waste/callback`]);
});

test('WI-8, WI-23 its response, JSON in UTF-8 that says bearer, is taken; its user is shown, its token is not', async () => {
  const { browser, end } = await logIn();
  expect(end.status).toBe(200);
  expect(await house.session(browser)).toEqual({ waste: { connected: true, reconnect: false, user: platform.user } });
  expect(await house.send(browser, '{ viewer { email name } }')).toMatchObject({ data: { viewer: platform.user } });
  expect(browser.seen.join()).not.toContain(platform.token);
  expect(JSON.stringify([...browser.jar].map(([host, cookies]) => [host, [...cookies]]))).not.toContain(platform.token);
});

test('WI-24 its response is kept by no cache: two logins make two exchanges, and no file or log line has the token', async () => {
  const before = platform.exchanges.length;
  await logIn();
  const { browser } = await logIn();
  await house.send(browser, '{ viewer { name } }');
  expect(platform.exchanges.length).toBe(before + 2);
  const files = (await readdir(cacheDir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    expect(await readFile(join(parentPath, name), 'utf8'), name).not.toContain(platform.token);
  }
  expect(house.log.text()).not.toContain(platform.token);
});
