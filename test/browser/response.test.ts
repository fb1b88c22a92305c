import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { parseCsv, withoutNote } from '../web/support.js';
import { drawnRows, editorReady, openAnalyst } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { downloaded, press } from './download.js';

const used = openedAnalyst('#sample=missions-and-their-communes');

const MISSIONS_OF_ANOTHER_SIZE =
  'query MissionsAndTheirCommunes { missions(first: 43) { nodes { title commune { nom code { insee } } } } }';

describe('The response on the page', () => {
  test('comes with its status, time, size and calls', async () => {
    await used.analyst.run();
    expect(await used.analyst.status()).toMatch(/^HTTP 200 · [\d.,]+ m?s · [\d.]+ kB · \d+ upstream calls/);
  });

  test('shows the rows of a list as a table, sorted on demand', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    expect(await page.locator('.pa-table caption').textContent()).toMatch(
      /^50 rows of missions\.nodes\[\], one page of 50 rows of \d+$/,
    );
    await page.getByRole('button', { name: 'commune.code.insee' }).click();
    const columns = await page.locator('.pa-table th').allTextContents();
    const insee = columns.findIndex((name) => name.startsWith('commune.code.insee'));
    const codes = (await drawnRows(page)).map((row) => row[insee] ?? '').filter((code) => code !== '');
    expect(codes.length).toBeGreaterThan(30);
    expect(codes).toEqual([...codes].sort((one, other) => one.localeCompare(other, 'fr', { numeric: true })));
    expect(await page.locator('.pa-table th').nth(insee).getAttribute('aria-sort')).toBe('ascending');
  });

  test('gives the rows away as CSV, French CSV, XLSX, GeoJSON and JSON', async () => {
    const csv = await downloaded(used.analyst.page, 'CSV');
    expect(csv.name).toBe('missions-incomplete.csv');
    const [names, ...records] = withoutNote(parseCsv(csv.bytes.toString('utf8')));
    expect(names?.slice(0, 3)).toEqual(['title', 'domain', 'city']);
    expect(records).toHaveLength(50);
    expect((await downloaded(used.analyst.page, 'CSV (Excel, French)')).bytes.subarray(0, 3)).toEqual(
      Buffer.from([0xef, 0xbb, 0xbf]),
    );
    expect((await downloaded(used.analyst.page, 'Excel')).bytes.subarray(0, 2).toString()).toBe('PK');
    const { features } = JSON.parse((await downloaded(used.analyst.page, 'GeoJSON')).bytes.toString('utf8'));
    expect(features).toHaveLength(50);
    const json = await downloaded(used.analyst.page, 'JSON');
    expect(json.name).toBe('response-incomplete.json');
    expect(JSON.parse(json.bytes.toString('utf8')).data.missions.nodes).toHaveLength(50);
  });

  test.runIf(IS_LONG)('copies a link that gives the same rows to a spreadsheet', async () => {
    const { page } = used.analyst;
    await press(page, 'Copy data link');
    await eventually(() => used.analyst.status()).toContain('Data link copied');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const [byLink, saved] = [await (await fetch(link)).text(), (await downloaded(page, 'CSV')).bytes.toString('utf8')];
    expect(withoutNote(parseCsv(byLink))).toEqual(withoutNote(parseCsv(saved)));
  });

  test.runIf(IS_LONG)('keeps the focus near where columns are ticked, and filters removed, by keys', async () => {
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

  test('chooses rows and columns: table, files, link and map have the same', async () => {
    const { page } = used.analyst;
    const shown = () => page.locator('.pa-shown').textContent();
    await page.getByLabel('Search in all columns').fill('a');
    await page.getByRole('button', { name: 'Reset' }).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.locator('.pa-toolbox select').first().selectOption('domain');
    await page.locator('.pa-values input[type=checkbox]').first().check();
    await page.locator('.pa-values input[type=checkbox]').nth(1).check();
    await page.locator('.pa-toolbox select').first().selectOption('location.lat');
    await page.getByLabel('From').fill('44');
    await page.getByLabel('Cells').selectOption('not empty');
    await eventually(shown).toMatch(/^([1-9]|1\d) of 50 rows$/);
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByLabel('Hide columns').check();
    await page.getByLabel('communeMatch.method', { exact: true }).uncheck();
    await page.getByLabel('Title of domain').fill('Domaine');
    await page.getByRole('button', { name: 'Move city forward' }).click();
    await page.getByLabel('Distinct rows').check();
    await page.getByRole('button', { name: /^Columns/ }).click();
    const count = Number.parseInt((await shown()) ?? '', 10);
    const [names, ...records] = withoutNote(parseCsv((await downloaded(page, 'CSV')).bytes.toString('utf8')));
    expect(names?.slice(0, 3)).toEqual(['title', 'city', 'Domaine']);
    expect(records).toHaveLength(count);
    await eventually(() => drawnRows(page)).toEqual(records);
    expect(await page.locator('.pa-chips li').allTextContents()).toHaveLength(3);
    await press(page, 'Copy data link');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(withoutNote(parseCsv(await (await fetch(link)).text()))).toEqual([names, ...records]);
    if (IS_LONG) expect(await used.analyst.brokenRules('.graphiql-response')).toEqual([]);
    await used.analyst.view('Map');
    await page.waitForSelector('.pa-drawing');
    expect(await page.textContent('.pa-note')).toMatch(new RegExp(`^${count} points?, one page of`));
  });

  test.runIf(IS_LONG)('keeps what was chosen by a link, in another browser and over a reload', async () => {
    const { page } = used.analyst;
    const before = await page.locator('.pa-shown').textContent();
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

  test.runIf(IS_LONG)('counts them, with bars and a map of départements', async () => {
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

  test.runIf(IS_LONG)('tells what the response cost: calls, quota, and the totals of the status line', async () => {
    const { page } = used.analyst;
    // With its own page size: other files run the example unchanged on the same stack, and a cached response has no
    // quota.
    await used.analyst.write(MISSIONS_OF_ANOTHER_SIZE);
    await used.analyst.run();
    await used.analyst.view('Trace');
    const trace = (await page.textContent('.pa-trace')) ?? '';
    expect(trace).toMatch(/volunteering: \d+ of \d+ left, resets in \d+ s/);
    const [, made] = /· (\d+) upstream calls?/.exec(await used.analyst.status()) ?? [];
    expect(trace).toContain(`Calls made${made}`);
  });

  test('keeps the response of each tab', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    await page.getByRole('button', { name: 'New tab' }).click();
    await used.analyst.write('query Town { commune(insee: "76540") { nom } }');
    await used.analyst.view('Table');
    expect(await page.textContent('.pa-body')).toContain('No response here');
    await used.analyst.run();
    await eventually(() => drawnRows(page)).toEqual([['Rouen']]);
    await page.getByRole('button', { name: 'MissionsAndTheirCommunes', exact: true }).click();
    expect(await page.locator('.pa-table caption').textContent()).toContain('missions.nodes[]');
  });

  testThatNothingWasBroken(used);
});
