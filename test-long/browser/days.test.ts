import { strFromU8, unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawnRows } from '../../test/browser/analyst.js';
import { type Browsing, browsing, eventually } from '../../test/browser/browsing.js';
import { downloaded } from '../../test/browser/download.js';
import { POLLING } from '../../test/polling.js';

/** In New York, so that a day of the computer is told from one of Paris. */
describe('The page, on a computer in New York,', () => {
  let used: Browsing;
  let page: Page;
  /** The day and time of the export in Paris, as the page writes it. */
  let moment: string;

  beforeAll(async () => {
    used = await browsing();
    const context = await used.chromium.freshContext({ locale: 'en-GB', timezoneId: 'America/New_York' });
    page = await context.newPage();
    page.setDefaultTimeout(POLLING.timeout);
    await page.setViewportSize({ width: 1440, height: 900 });
    const { data } = await used.stack.send('{ exportedOffers(first: 0) { asOf } }');
    moment = new Intl.DateTimeFormat('en-GB', {
      ...{ day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit', timeZone: 'Europe/Paris' },
    }).format(new Date(data.exportedOffers.asOf));
    await page.goto(`${used.stack.url}/graphiql#ask=offers&occupation=D1102`);
  });
  afterAll(() => page.context().close());

  /** The columns of the counts beside their keys. */
  const counts = () =>
    page.$$eval('.pa-pane table tbody tr', (rows) =>
      rows.map((row) => [...row.querySelectorAll('td, th')].slice(0, 2).map((cell) => cell.textContent ?? '')),
    );

  test('says of what is read from the export without a call of which day it is, before it is sent and after', async () => {
    await eventually(() => page.textContent('.pa-price')).toBe(`No calls, data of ${moment}`);
    await page.locator('.pa-run').click();
    await eventually(() => page.textContent('.pa-sentence')).toMatch(
      new RegExp(`the whole list · data of ${moment} · days are those of Paris$`),
    );
    await page.locator('#pa-tab-Table').click();
    await drawnRows(page);
    const { bytes } = await downloaded(page, 'Excel');
    const about = strFromU8(unzipSync(new Uint8Array(bytes))['xl/worksheets/sheet2.xml'] ?? new Uint8Array());
    expect(about).toContain('>work-study<');
    expect(about).toContain('>Data of work-study as of (UTC)<');
  });

  /** The cells of a column, by its title. */
  async function cellsOf(title: string): Promise<string[]> {
    const titles = await page.locator('.pa-table thead th').allInnerTexts();
    return (await drawnRows(page)).map((cells) => cells[titles.indexOf(title)] ?? '');
  }

  test('names each code of a cell with two, and counts a row with each of them', async () => {
    const kinds = await cellsOf('Kind of contract');
    expect(kinds).toContain('Apprenticeship | Professional training');
    await page.locator('#pa-tab-Counts').click();
    await page.getByLabel('Count by').selectOption({ label: 'Kind of contract' });
    const having = (kind: string): string => String(kinds.filter((of) => of.includes(kind)).length);
    await eventually(counts).toEqual([
      ['Apprenticeship', having('Apprenticeship')],
      ['Professional training', having('Professional training')],
    ]);
    await page.locator('#pa-tab-Table').click();
  });

  test('filters by a day as it shows it, whose rows are all of that day', async () => {
    const days = await cellsOf('Start of the contract');
    const [day = ''] = days;
    const ofDay = days.filter((one) => one === day).length;
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.locator('.pa-toolbox select').first().selectOption({ label: 'Start of the contract' });
    await page.locator('.pa-toolbox').getByLabel(day).check();
    await eventually(() => cellsOf('Start of the contract')).toEqual(Array(ofDay).fill(day));
    const chosen = page.locator('.pa-toolbox input[type="date"]');
    const [from, to] = [await chosen.first().inputValue(), await chosen.last().inputValue()];
    expect([from, to]).toEqual([from, from]);
    expect(new Date(`${from}T12:00:00Z`).getUTCDate()).toBe(Number(/\d+/.exec(day)));
    await page.locator('.pa-toolbox').getByLabel(day).uncheck();
    await page.keyboard.press('Escape');
  });
});
