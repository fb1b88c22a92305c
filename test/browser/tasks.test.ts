import { strFromU8, unzipSync } from 'fflate';
import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { downloaded } from './download.js';

const used = openedAnalyst();

/** What newcomers want to know, found without writing GraphQL. Each click, choice and line of typing is a step. */
describe('A newcomer finds out, in few steps:', () => {
  let steps: number;
  beforeEach(() => {
    steps = 0;
  });

  /** Counts one step. */
  async function step(act: () => Promise<unknown>): Promise<void> {
    steps += 1;
    await act();
  }

  /** Three steps: opens the examples, types some words, chooses the example. It then runs without a further step. */
  async function choose(words: string, example: RegExp): Promise<void> {
    const { page } = used.analyst;
    const dialog = page.getByRole('dialog');
    await step(() => page.getByRole('button', { name: 'Examples' }).click());
    await step(() => dialog.getByRole('searchbox').fill(words));
    await step(() => dialog.getByRole('button', { name: example }).click());
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
  }

  const variables = () => used.analyst.page.textContent('.graphiql-editor-tool .view-lines');

  test('environment missions within 20 km of Grenoble, as a spreadsheet with commune, département and organization', async () => {
    await choose('environment Grenoble', /^Missions of a domain/);
    expect(await variables()).toMatch(/38185.*20.*environnement/s);
    let book: Uint8Array = new Uint8Array();
    await step(async () => {
      book = (await downloaded(used.analyst.page, 'Excel')).bytes;
    });
    const sheet = strFromU8(unzipSync(book)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    for (const column of ['organizationName', 'commune.nom', 'commune.departement.nom'])
      expect(sheet).toContain(column);
    expect(sheet.match(/<row\b/g)?.length).toBeGreaterThan(1);
    expect(steps).toBeLessThanOrEqual(5);
  });

  test('organizations of département 93 with work-study offers', async () => {
    const { page } = used.analyst;
    await choose('organizations offers 93', /^Organizations of a département/);
    expect(await variables()).toContain('93');
    await step(() => page.getByLabel('List').selectOption('organizations.nodes[].jobOffers.nodes[]'));
    await eventually(() => page.textContent('.pa-table')).toContain('organizations/title');
    expect(steps).toBeLessThanOrEqual(5);
  });

  test('missions per département, as bars and map', async () => {
    const { page } = used.analyst;
    await choose('how many missions département', /^How many missions/);
    expect(await page.getAttribute('#pa-tab-Counts', 'aria-selected')).toBe('true');
    await eventually(() => page.locator('.pa-counts tbody tr').count()).toBeGreaterThan(50);
    await eventually(() => page.locator('.pa-counts svg title').count()).toBeGreaterThan(90);
    expect(steps).toBeLessThanOrEqual(3);
  });

  test('offers of an occupation near a city, on a map', async () => {
    const { page } = used.analyst;
    await choose('M1805 Lyon', /^Offers of an occupation/);
    expect(await variables()).toMatch(/69123.*M1805/s);
    await eventually(() => page.locator('.pa-dots, .pa-ring').count()).toBeGreaterThan(0);
    expect(steps).toBeLessThanOrEqual(5);
  });

  test('courses that lead to a certification', async () => {
    await choose('courses RNCP39908', /^Courses that lead/);
    expect(await variables()).toContain('RNCP39908');
    await eventually(() => used.analyst.page.locator('.pa-table tbody tr').count()).toBeGreaterThan(0);
    expect(steps).toBeLessThanOrEqual(3);
  });

  testThatNothingWasBroken(used);
});
