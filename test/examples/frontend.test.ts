import type { BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type AuthStack, startAuthStack } from '../auth/support/auth-stack.js';
import { eventually, sharedChromium } from '../browser/browsing.js';
import {
  type ExamplePage,
  logInByPages,
  manifestOf,
  searchAround,
  sectionOf,
  serveExamplePage,
} from './example-page.js';

describe('The example frontend, on an origin of its own', () => {
  let example: ExamplePage;
  let stack: AuthStack;
  let context: BrowserContext;
  let page: Page;
  const requests: Request[] = [];

  beforeAll(async () => {
    const chromium = await sharedChromium();
    example = await serveExamplePage('frontend');
    const env = { CORS_ORIGINS: `${example.origin},${onLocalhost()}`, SAFELIST: manifestOf('frontend') };
    stack = await startAuthStack({ shape: 'in process', sandbox: { scale: 0.2 }, env });
    example.build(stack.url);
    context = await chromium.freshContext();
    page = await context.newPage();
    page.on('request', (request) => requests.push(request));
    await page.goto(example.origin);
  });
  afterAll(async () => {
    await context?.close();
    await stack?.close();
    await example?.close();
  });
  afterEach(() => stack.sandbox.volunteering.clearFaults());

  /** The same page under a name that browsers treat as another site, although it is the same machine. */
  const onLocalhost = () => example.origin.replace('127.0.0.1', 'localhost');
  const section = (name: string) => sectionOf(page, name);
  const rows = (name: string) => section(name).locator('li').allTextContents();
  const dots = (kind: string) => page.locator(`#map circle.${kind}`).count();

  test('shows missions and offers around a commune, and organizations of a name, on one map', async () => {
    await searchAround(page, 'Rouen');
    await eventually(() => dots('mission')).toBeGreaterThan(5);
    await eventually(() => dots('offer')).toBeGreaterThan(0);
    await page.getByLabel('Organizations by name').fill('sport');
    await page.getByRole('button', { name: 'Find' }).click();
    await eventually(() => rows('Organizations')).not.toEqual([]);
    expect(await page.locator('#map title').first().textContent()).toMatch(/, /);
  });

  test('reads the next page when asked, and shows nothing twice', async () => {
    const before = await rows('Missions');
    expect(before).toHaveLength(10);
    await section('Missions').getByRole('button', { name: 'More' }).click();
    await eventually(async () => (await rows('Missions')).length).toBeGreaterThan(10);
    const after = await rows('Missions');
    expect(after.slice(0, 10)).toEqual(before);
    expect(await dots('mission')).toBeGreaterThan(10);
  });

  test('shows the rest when one source is down, and says at its own list what is missing', async () => {
    stack.sandbox.volunteering.fault({ kind: 'status', status: 503 });
    await searchAround(page, 'Caen');
    const notice = section('Missions').getByRole('alert');
    await eventually(() => notice.allTextContents()).toEqual(['No answer from volunteering: try again in a moment.']);
    expect(await section('Offers').getByRole('alert').count()).toBe(0);
    await eventually(() => dots('offer')).toBeGreaterThan(0);
  });

  test('logs in by the platform’s own pages, comes back to this origin as somebody, and logs out', async () => {
    const { user } = stack.person();
    await logInByPages(page, user);
    await eventually(() => page.textContent('#session')).toContain(user.name);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await foreignSiteIsConnected()).toBe(false);
    await page.getByRole('button', { name: 'Log out' }).click();
    await eventually(() => page.textContent('#session')).toBe('Log in');
  });

  test('sends its operations by their hashes, and cannot send others: the safelist is enforced', async () => {
    const bodies = requests
      .filter((request) => request.url() === `${stack.url}/graphql`)
      .flatMap((request) => request.postData() ?? []);
    expect(bodies.length).toBeGreaterThan(5);
    for (const body of bodies) expect(Object.keys(JSON.parse(body))).toEqual(['variables', 'extensions']);
    const other = await page.evaluate(`fetch('${stack.url}/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ departements { nom } }' }),
    }).then((response) => response.json())`);
    expect(other).toMatchObject({ errors: [{ extensions: { code: 'PERMISSION_DENIED' } }] });
  });

  test('loads nothing from anywhere but its own origin and the gateway', () => {
    const loaded = requests.filter((request) => request.resourceType() !== 'document');
    const origins = new Set(loaded.map((request) => new URL(request.url()).origin));
    expect([...origins].sort()).toEqual([example.origin, stack.url].sort());
  });

  /** Whether a page of another site in the same browser, which `CORS_ORIGINS` also lists, sees the session. */
  async function foreignSiteIsConnected(): Promise<unknown> {
    const foreign = await context.newPage();
    await foreign.goto(onLocalhost());
    const connected = await foreign.evaluate(`fetch('${stack.url}/auth/session', { credentials: 'include' })
      .then((response) => response.json()).then(({ waste }) => waste.connected)`);
    await foreign.close();
    return connected;
  }
});
