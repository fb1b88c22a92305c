import { env } from 'node:process';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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
import { POLLING } from '../../test/polling.js';

/**
 * Guards that the examples show what a source that is down leaves, say at its place what is missing, and do so again
 * when the same is read a second time: a cache keeps the null, but not its error.
 */

const EXAMPLES = ['apollo', 'urql', 'relay', 'frontend'] as const;
/** Two communes for each source, because the gateway has what it was asked for before. */
const COMMUNES = { workStudy: ['Rouen', 'Dieppe'], volunteering: ['Caen', 'Le Havre'] };

let stack: AuthStack;
const pages = new Map<string, ExamplePage>();

beforeAll(async () => {
  for (const name of EXAMPLES) pages.set(name, await serveExamplePage(name));
  const origins = [...pages.values()].map(({ origin }) => origin);
  const safelist = ['apollo', 'relay', 'frontend'].map(manifestOf).join();
  stack = await startAuthStack({
    shape: 'in process',
    sandbox: { scale: 0.2 },
    env: { CORS_ORIGINS: origins.join(), SAFELIST: safelist },
  });
  for (const page of pages.values()) page.build(stack.url);
  env['VITE_GATEWAY_URL'] = stack.url;
});
afterAll(async () => {
  delete env['VITE_GATEWAY_URL'];
  await stack?.close();
  for (const page of pages.values()) await page.close();
});

/** A page of an example, with what its sections show. */
async function open(name: string) {
  const context: BrowserContext = await (await sharedChromium()).freshContext();
  const page: Page = await context.newPage();
  const { origin = '' } = pages.get(name) ?? {};
  await page.goto(origin);
  const section = (label: string) => sectionOf(page, label);
  return {
    page,
    around: (commune: string) => searchAround(page, commune),
    /** What a section has: its errors, and whether it has rows, a heading that says how many, and a button for more. */
    async shown(label: string) {
      const [alerts, rows, headings, more] = await Promise.all([
        section(label).getByRole('alert').allTextContents(),
        section(label).locator('li').count(),
        section(label).locator('h2').allTextContents(),
        section(label).getByRole('button', { name: 'More' }).count(),
      ]);
      return { alerts, hasRows: rows > 0, counts: /\d/.test(headings.join()), hasMore: more > 0 };
    },
    close: () => context.close(),
  };
}

const missing = (service: string) => ({
  alerts: [`No answer from ${service}: try again in a moment.`],
  hasRows: false,
  counts: false,
  hasMore: false,
});
const THERE = { alerts: [], hasRows: true };

describe.each([
  ['work-study', 'workStudy', 'Offers', 'Missions'],
  ['volunteering', 'volunteering', 'Missions', 'Offers'],
] as const)('While %s is down', (service, key, lost, left) => {
  beforeAll(() => void stack.sandbox[key].fault({ kind: 'status', status: 503 }));
  afterAll(async () => {
    stack.sandbox[key].clearFaults();
    const isUp = `"name":"${service}","state":"UP"`;
    await vi.waitFor(async () => expect(await (await fetch(`${stack.url}/readyz`)).text()).toContain(isUp), POLLING);
  });

  test.each(EXAMPLES)(
    'the example %s has the other list, and the error at this one, each time it is read',
    async (name) => {
      const example = await open(name);
      const [one, other] = COMMUNES[key] as [string, string];
      for (const commune of [one, other, one]) {
        await example.around(commune);
        await eventually(() => example.shown(lost)).toEqual(missing(service));
        await eventually(() => example.shown(left)).toMatchObject(THERE);
      }
      await example.close();
    },
  );
});

describe('While waste-identity is down', () => {
  const opened = new Map<string, Awaited<ReturnType<typeof open>>>();
  // Before it is down, because nobody can log in then.
  beforeAll(async () => {
    for (const name of EXAMPLES) {
      const example = await open(name);
      await logInByPages(example.page, stack.person().user);
      opened.set(name, example);
    }
    stack.sandbox.waste.fault({ kind: 'status', status: 503 });
  });
  afterAll(async () => {
    stack.sandbox.waste.clearFaults();
    for (const example of opened.values()) await example.close();
  });

  test.each(EXAMPLES)('the example %s has both lists, and the error where it says who is logged in', async (name) => {
    const { page, around, shown } = opened.get(name) ?? (await open(name));
    await page.reload();
    await eventually(() => page.textContent('body')).toContain('No answer from waste-identity');
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(1);
    await around('Rouen');
    for (const label of ['Offers', 'Missions']) await eventually(() => shown(label)).toMatchObject(THERE);
  });
});
