import { describe, expect, test } from 'vitest';
import { parseCsv, withoutNote } from '../web/support.js';
import { drawnRows } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { downloaded, press } from './download.js';

const used = openedAnalyst('#sample=missions-and-their-communes');

describe('The response on the page', () => {
  test('comes with its status, time, size and calls', async () => {
    await used.analyst.run();
    expect(await used.analyst.status()).toMatch(/^HTTP 200 · [\d.,]+ m?s · [\d.]+ kB · \d+ upstream calls/);
  });

  test('shows the rows of a list as a table, sorted on demand', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    await eventually(() => page.locator('.pa-table caption').textContent()).toMatch(
      /^50 rows of missions\.nodes\[\], one page of 50 rows of \d+$/,
    );
    await page.getByRole('button', { name: 'commune.code.insee' }).click();
    const columns = await page.locator('.pa-table th').allTextContents();
    const insee = columns.findIndex((name) => name.startsWith('commune.code.insee'));
    const codes = (await drawnRows(page)).map((row) => row[insee] ?? '').filter((code) => code !== '');
    expect(codes.length).toBeGreaterThan(30);
    expect(codes).toEqual([...codes].sort((one, other) => one.localeCompare(other, 'fr', { numeric: true })));
    await eventually(() => page.locator('.pa-table th').nth(insee).getAttribute('aria-sort')).toBe('ascending');
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
    const [names, ...records] = withoutNote(parseCsv((await downloaded(page, 'CSV')).bytes.toString('utf8')));
    expect(names?.slice(0, 3)).toEqual(['title', 'city', 'Domaine']);
    const count = records.length;
    await eventually(shown).toMatch(new RegExp(`^${count} of 50 rows`));
    await eventually(() => drawnRows(page)).toEqual(records);
    await eventually(() => page.locator('.pa-chips li').allTextContents()).toHaveLength(3);
    await press(page, 'Copy data link');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(withoutNote(parseCsv(await (await fetch(link)).text()))).toEqual([names, ...records]);
    await used.analyst.view('Map');
    await page.waitForSelector('.pa-drawing');
    await eventually(() => page.textContent('.pa-note')).toMatch(new RegExp(`^${count} points?, one page of`));
  });

  test('keeps the response of each tab', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    await page.getByRole('button', { name: 'New tab' }).click();
    await used.analyst.write('query Town { commune(insee: "76540") { nom } }');
    await used.analyst.view('Table');
    await eventually(() => page.textContent('.pa-body')).toContain('No response here');
    await used.analyst.run();
    await eventually(() => drawnRows(page)).toEqual([['Rouen']]);
    await page.getByRole('button', { name: 'MissionsAndTheirCommunes', exact: true }).click();
    await eventually(() => page.locator('.pa-table caption').textContent()).toContain('missions.nodes[]');
  });

  testThatNothingWasBroken(used);
});
