import { beforeAll, describe, expect, test } from 'vitest';
import { editorReady, openAnalyst } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';
import { downloaded, press } from '../../test/browser/download.js';
import { parseCsv, withoutNote } from '../../test/web/support.js';

const used = openedAnalyst('#sample=missions-and-their-communes');

const MISSIONS_OF_ANOTHER_SIZE =
  'query MissionsAndTheirCommunes { missions(first: 43) { nodes { title commune { nom code { insee } } } } }';

describe('The response on the page', () => {
  beforeAll(async () => {
    await used.analyst.run();
    await used.analyst.view('Table');
  });

  test('copies a link that gives the same rows to a spreadsheet', async () => {
    const { page } = used.analyst;
    await press(page, 'Copy data link');
    await eventually(() => used.analyst.status()).toContain('Data link copied');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const [byLink, saved] = [await (await fetch(link)).text(), (await downloaded(page, 'CSV')).bytes.toString('utf8')];
    expect(withoutNote(parseCsv(byLink))).toEqual(withoutNote(parseCsv(saved)));
  });

  test('keeps the focus near where columns are ticked, and filters removed, by keys', async () => {
    const { page } = used.analyst;
    const focused = () => page.evaluate(`document.activeElement.closest('label, button')?.textContent.trim()`);
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    for (const isShown of [false, true]) {
      await page.getByLabel('city', { exact: true }).press('Space');
      await eventually(() => page.getByLabel('city', { exact: true }).isChecked()).toBe(isShown);
      await eventually(focused).toBe('city');
    }
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.locator('.pa-toolbox select').first().selectOption('domain');
    await page.locator('.pa-values input[type=checkbox]').first().check();
    await page.getByRole('button', { name: /^Remove the filter domain/ }).press('Enter');
    await eventually(focused).toBe('Filter');
    const [filter, reset] = [
      page.getByRole('button', { name: 'Filter', exact: true }),
      page.getByRole('button', { name: 'Reset' }),
    ];
    await reset.click();
    // The controls beside it move when it disappears.
    await eventually(() => reset.count()).toBe(0);
    await filter.click();
    await eventually(() => filter.getAttribute('aria-expanded')).toBe('false');
  });

  test('keeps what was chosen by a link, in another browser and over a reload', async () => {
    const { page } = used.analyst;
    await page.getByLabel('Search in all columns').fill('a');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.locator('.pa-toolbox select').first().selectOption('domain');
    await page.locator('.pa-values input[type=checkbox]').first().check();
    await eventually(() => page.locator('.pa-shown').textContent()).toMatch(/^\d+ of 50 rows$/);
    const before = await page.locator('.pa-shown').textContent();
    expect(await used.analyst.brokenRules('.graphiql-response')).toEqual([]);
    await used.analyst.view('Map');
    await page.getByLabel('Colour').selectOption('city');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await press(page, 'Copy a link to this page');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const fresh = await used.chromium.freshContext();
    const other = await openAnalyst(fresh, link);
    for (const again of [false, true]) {
      if (again) await other.page.reload();
      await editorReady(other.page);
      await eventually(() => other.page.textContent('.graphiql-tab-active')).toContain('MissionsAndTheirCommunes');
      await other.run();
      await other.page.waitForSelector('.pa-drawing');
      expect(await other.page.locator('.pa-shown').textContent()).toBe(before);
      expect(await other.page.getByLabel('Colour').inputValue()).toBe('city');
    }
    await fresh.close();
    await page.getByLabel('Colour').selectOption('');
  });

  test('counts them, with bars and a map of départements', async () => {
    const { page } = used.analyst;
    await page.getByRole('button', { name: 'Reset' }).click();
    await eventually(() => page.locator('.pa-shown').textContent()).toBe('50 rows');
    await used.analyst.view('Counts');
    const counted = async () => (await drawnCounts()).reduce((sum, cells) => sum + Number(cells[1]), 0);
    const drawnCounts = () =>
      page.$$eval('.pa-count-table tbody tr', (rows) =>
        rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      );
    await page.getByLabel('Count by').selectOption('domain');
    await eventually(counted).toBe(50);
    const svg = await downloaded(page, 'SVG');
    expect([svg.name, svg.bytes.toString('utf8')]).toEqual(['counts.svg', expect.stringMatching(/<text.*%\)/)]);
    expect((await downloaded(page, 'PNG')).bytes.subarray(1, 4).toString()).toBe('PNG');
    await page.getByLabel('and by').selectOption('city');
    await eventually(() => page.locator('.pa-kinds li').count()).toBeGreaterThan(5);
    expect(await counted()).toBe(50);
    await page.getByLabel('and by').selectOption('');
    const { name, bytes } = await downloaded(page, 'CSV');
    const [head, ...records] = withoutNote(parseCsv(bytes.toString('utf8')));
    expect([name, head]).toEqual(['counts-incomplete.csv', ['domain', 'count']]);
    expect(records.reduce((sum, cells) => sum + Number(cells[1]), 0)).toBe(50);
  });

  test('tells what the response cost: calls, quota, and the totals of the status line', async () => {
    const { page } = used.analyst;
    // With its own page size: other files run the example unchanged on the same stack, and a cached response has no
    // quota.
    await used.analyst.run(MISSIONS_OF_ANOTHER_SIZE);
    await used.analyst.view('Trace');
    const trace = (await page.textContent('.pa-trace')) ?? '';
    expect(trace).toMatch(/volunteering: \d+ of \d+ left, resets in \d+ s/);
    const [, made] = /· (\d+) upstream calls?/.exec(await used.analyst.status()) ?? [];
    expect(trace).toContain(`Calls made${made}`);
  });

  testThatNothingWasBroken(used);
});
