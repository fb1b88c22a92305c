import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { parseCsv } from '../web/support.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { downloaded, press } from './download.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

/** What stands beside each count of rows, in the order of the page. */
const saidOn = (page: Page) => page.locator('.pa-body .pa-bar > :is(.pa-partial, .pa-quiet)').allTextContents();

async function choose(page: Page, path: string): Promise<void> {
  await page.getByLabel('List').selectOption(path);
  await eventually(() => page.locator('.pa-table caption').textContent()).toContain(` of ${path},`);
}

describe('Beside each count and download stands whether it is all', () => {
  test('of a page that does not say whether others follow: perhaps not', async () => {
    const { page } = used.analyst;
    await used.analyst.run('{ missions(first: 10) { nodes { id domain addresses { city } } } }');
    await used.analyst.view('Table');
    await page.locator('.pa-shown').waitFor();
    await choose(page, 'missions.nodes[]');
    const why = 'perhaps not all: the query does not select complete pageInfo { hasNextPage } beside missions.nodes';
    await eventually(() => saidOn(page)).toEqual([why]);
    await eventually(() => page.locator('.pa-table caption').textContent()).toBe(`10 rows of missions.nodes[], ${why}`);
    const { name, bytes } = await downloaded(page, 'CSV');
    const rows = parseCsv(bytes.toString('utf8')).slice(1);
    expect([name, rows.length]).toEqual(['missions-incomplete.csv', 11]);
    expect(rows.at(-1)?.[0]).toBe(`# incomplete: cut after 10 rows: ${why}`);
    await choose(page, 'missions.nodes[].addresses[]');
    await eventually(() => saidOn(page)).toEqual([why]);
    expect((await downloaded(page, 'GeoJSON')).name).toBe('addresses-incomplete.geojson');
    await press(page, 'Copy data link');
    await eventually(() => used.analyst.status()).toContain('It may return only one page');
  });
});

testThatNothingWasBroken(used);
