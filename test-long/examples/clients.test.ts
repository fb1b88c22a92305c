import { readFileSync } from 'node:fs';
import { env } from 'node:process';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthStack, startAuthStack } from '../../test/auth/support/auth-stack.js';
import { eventually, sharedChromium } from '../../test/browser/browsing.js';
import {
  type ExamplePage,
  logInByPages,
  manifestOf,
  searchAround,
  sectionOf,
  serveExamplePage,
} from '../../test/examples/example-page.js';

/**
 * Guards that the examples of all libraries do what the page for frontends says, each as a user walks through it.
 */

const EXAMPLES = ['apollo', 'urql', 'relay'] as const;

let stack: AuthStack;
const pages = new Map<string, ExamplePage>();

beforeAll(async () => {
  for (const name of EXAMPLES) pages.set(name, await serveExamplePage(name));
  const origins = [...pages.values()].map(({ origin }) => origin);
  // Two have the same operations; Relay's stand in its components.
  expect(readFileSync(manifestOf('apollo'), 'utf8')).toBe(readFileSync(manifestOf('urql'), 'utf8'));
  stack = await startAuthStack({
    shape: 'in process',
    sandbox: { scale: 0.2 },
    env: { CORS_ORIGINS: origins.join(), SAFELIST: ['apollo', 'relay'].map(manifestOf).join() },
  });
  for (const page of pages.values()) page.build(stack.url);
  Object.assign(env, { VITE_GATEWAY_URL: stack.url, WRITE_KEY: stack.sandbox.keys.workStudy.alice });
});
afterAll(async () => {
  for (const name of ['VITE_GATEWAY_URL', 'WRITE_KEY']) delete env[name];
  await stack?.close();
  for (const page of pages.values()) await page.close();
});

// frontend.test.ts walks through the other example.
describe.each(EXAMPLES)('The example with %s', (name) => {
  let origin = '';
  let context: BrowserContext;
  let page: Page;
  const requests: Request[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    origin = pages.get(name)?.origin ?? '';
    context = await (await sharedChromium()).freshContext();
    page = await context.newPage();
    page.on('request', (request) => requests.push(request));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.goto(origin);
  });
  afterAll(() => context?.close());

  const section = (label: string) => sectionOf(page, label);
  const titles = () => section('Missions').locator('li').allTextContents();
  const asked = (part: string) => requests.filter((request) => request.url() === `${stack.url}${part}`);

  test('shows a list, its next page once each, and a detail', async () => {
    await searchAround(page, 'Rouen');
    await eventually(async () => (await titles()).length).toBe(10);
    expect(await section('Offers').locator('li').count()).toBeGreaterThan(0);
    const before = await titles();
    await section('Missions').getByRole('button', { name: 'More' }).click();
    await eventually(async () => (await titles()).length).toBeGreaterThan(10);
    expect((await titles()).slice(0, 10)).toEqual(before);
    await section('Missions')
      .getByRole('button', { name: before[0] ?? '', exact: true })
      .first()
      .click();
    await eventually(() => section('Mission').locator('h2').textContent()).toBe(before[0]);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  });

  test('keeps its list when the next page does not come, and says so', async () => {
    await searchAround(page, 'Dieppe');
    await eventually(async () => (await titles()).length).toBe(10);
    await context.setOffline(true);
    await section('Missions').getByRole('button', { name: 'More' }).click();
    const alerts = section('Missions').getByRole('alert');
    await eventually(() => alerts.count()).toBe(1);
    expect(await titles()).toHaveLength(10);
    await context.setOffline(false);
    // The browser complains of it too.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_INTERNET_DISCONNECTED')]);
  });

  test('writes by a form, without a key in the page', async () => {
    const form = section('Offers').getByRole('form', { name: 'Apply' }).first();
    const file = { mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n') };
    const marked = () => form.locator('p:has([aria-invalid=true])').allTextContents();
    for (const [field, value] of Object.entries({
      'First name': 'J'.repeat(51),
      'Last name': 'Dupont',
      'E-mail': 'jean.dupont@example.fr',
      Telephone: 'no number',
    }))
      await form.getByLabel(field).fill(value);
    await form.getByLabel('Curriculum vitae').setInputFiles({ name: 'cv.pdf.docx', ...file });
    await form.getByRole('button', { name: 'Apply' }).click();
    // Every mistake at once, each at its field, and nothing else.
    await eventually(marked).toEqual([
      expect.stringMatching(/^First name .*input\.applicantFirstName/),
      expect.stringMatching(/^Telephone .*input\.applicantPhone/),
      expect.stringMatching(/^Curriculum vitae .*input\.applicantAttachmentContent/),
    ]);
    expect(await form.getByRole('alert').count()).toBe(3);
    await form.getByLabel('First name').fill('Jean');
    await form.getByLabel('Telephone').fill('0101010101');
    await form.getByLabel('Curriculum vitae').setInputFiles({ name: 'cv.pdf', ...file });
    await form.getByRole('button', { name: 'Apply' }).click();
    const sent = section('Offers').locator('output');
    await eventually(() => sent.allTextContents()).toEqual([expect.stringMatching(/^Sent as [0-9a-f]{24}$/)]);
    for (const request of requests) expect(request.headers()['x-work-study-key']).toBeUndefined();
    expect(asked('/graphql').some((request) => request.postData()?.includes('applicant'))).toBe(false);
  });

  test('logs in, shows who it is, and logs out', async () => {
    const { user } = stack.person();
    await logInByPages(page, user);
    await eventually(() => page.textContent('body')).toContain(user.name);
    await page.getByRole('button', { name: 'Log out' }).click();
    await eventually(() => page.getByRole('link', { name: 'Log in' }).count()).toBe(1);
  });

  test('sends its operations by their hashes alone, and has nothing to complain of', () => {
    const sent = asked('/graphql').flatMap((request) => JSON.parse(request.postData() ?? '{}'));
    expect(sent.length).toBeGreaterThan(4);
    for (const body of sent) expect([body.query, body.extensions.persistedQuery.version]).toEqual([undefined, 1]);
    expect(complaints).toEqual([]);
  });
});
