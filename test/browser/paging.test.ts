import { beforeAll, describe, expect, test } from 'vitest';
import { parseCsv } from '../web/support.js';
import { drawnRows } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { downloaded, press } from './download.js';

const used = openedAnalyst('#sample=missions-of-a-department');

describe('The pages of a list', () => {
  beforeAll(() => used.analyst.run());

  test('follows all pages to the end, says before what that costs', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    await eventually(() => page.locator('.pa-table caption').textContent()).toMatch(
      /^100 rows of missions\.nodes\[\], one page of 100 rows of 1\d\d$/,
    );
    const bar = page.locator('.pa-bar').filter({ has: page.getByRole('button', { name: 'All pages' }) });
    await eventually(() => bar.textContent()).toMatch(/All pages …one page of 100 rows of 1\d\d/);
    await page.getByRole('button', { name: 'All pages' }).click();
    await eventually(() => page.textContent('.pa-toolbox:not([hidden])')).toMatch(
      /^1 more page\..*Each costs:≤ 1 call, \d+ left/,
    );
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await eventually(() => used.analyst.status()).toMatch(/all \d+ rows/);
    const [, rows] = /all (\d+) rows/.exec(await used.analyst.status()) ?? [];
    expect(Number(rows)).toBeGreaterThan(100);
    await eventually(() => page.locator('.pa-table caption').textContent()).toBe(
      `${rows} rows of missions.nodes[], the whole list`,
    );
    expect(await page.textContent('.pa-body')).not.toContain('one page');
  });

  test('are all of them by link and by download, in the order of the table, and in the JSON', async () => {
    const { page } = used.analyst;
    const caption = (await page.locator('.pa-table caption').textContent()) ?? '';
    const count = Number.parseInt(caption, 10);
    await page.getByRole('button', { name: 'title' }).click();
    await press(page, 'Copy data link');
    await eventually(() => used.analyst.status()).toContain('It requests all pages.');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const rows = await (await fetch(link)).text();
    const file = await downloaded(page, 'CSV');
    expect(rows).toBe(file.bytes.toString('utf8'));
    expect(file.name).toBe('missions.csv');
    const [names = [], ...records] = parseCsv(rows);
    expect(records).toHaveLength(count);
    const drawn = (await drawnRows(page)).map((cells) => cells[names.indexOf('title')]);
    expect(records.slice(0, drawn.length).map((cells) => cells[names.indexOf('title')])).toEqual(drawn);
    const json = JSON.parse((await downloaded(page, 'JSON')).bytes.toString('utf8'));
    expect(json.data.missions.pageInfo).toMatchObject({ hasNextPage: false });
    await used.analyst.view('JSON');
    await eventually(() => page.textContent('.result-window')).toMatch(/"totalCount"/);
    await used.analyst.view('Table');
  });

  test('stop at a cap, and files say that they do', async () => {
    const { page } = used.analyst;
    await used.analyst.run();
    await press(page, 'Copy data link');
    await eventually(() => used.analyst.status()).toContain('It returns this page of 100 rows: load All pages first');
    await page.getByRole('button', { name: 'All pages' }).click();
    await page.getByLabel('at most').fill('101');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await eventually(() => used.analyst.status()).toContain('stopped at 101 rows');
    const file = await downloaded(page, 'CSV');
    expect(file.name).toBe('missions-incomplete.csv');
    expect(parseCsv(file.bytes.toString('utf8')).at(-1)?.[0]).toMatch(/^# incomplete: cut after 101 rows/);
  });

  testThatNothingWasBroken(used);
});
