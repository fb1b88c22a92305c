import { beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
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
    expect(await page.locator('.pa-table caption').textContent()).toMatch(
      /^100 rows of missions\.nodes\[\], one page of 100 rows of 1\d\d$/,
    );
    const bar = page.locator('.pa-bar').filter({ has: page.getByRole('button', { name: 'All pages' }) });
    expect(await bar.textContent()).toMatch(/All pages …one page of 100 rows of 1\d\d/);
    await page.getByRole('button', { name: 'All pages' }).click();
    await eventually(() => page.textContent('.pa-toolbox:not([hidden])')).toMatch(
      /^1 more page\..*Each costs:≤ 1 call, \d+ left/,
    );
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await eventually(() => used.analyst.status()).toMatch(/all \d+ rows/);
    const [, rows] = /all (\d+) rows/.exec(await used.analyst.status()) ?? [];
    expect(Number(rows)).toBeGreaterThan(100);
    expect(await page.locator('.pa-table caption').textContent()).toBe(
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

  test.runIf(IS_LONG)('stops where a quota is spent, and goes on from there', async () => {
    const { page } = used.analyst;
    let refusals = 1;
    await page.route('**/graphql', (route) => {
      if (refusals === 0 || !route.request().postData()?.includes('"after":"')) return route.continue();
      refusals -= 1;
      const extensions = { code: 'RATE_LIMITED', service: 'volunteering', retryAfterSeconds: 600 };
      return route.fulfill({ json: { data: null, errors: [{ message: 'Spent.', extensions }] } });
    });
    const start = async () => {
      await page.getByRole('button', { name: 'All pages' }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
    };
    await used.analyst.run();
    await start();
    await eventually(() => used.analyst.status()).toContain('stopped after 100 rows: Spent.');
    expect(await page.locator('.pa-table caption').textContent()).toContain('one page of 100 rows');
    await start();
    await eventually(() => used.analyst.status()).toMatch(/all \d+ rows/);
    await page.unroute('**/graphql');
  });

  test.runIf(IS_LONG)('go on while other tabs get responses, which they keep', async () => {
    const { page } = used.analyst;
    await used.analyst.run();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"after":"')) await released;
      return route.continue();
    });
    await page.getByRole('button', { name: 'All pages' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    for (const name of ['One', 'Two']) {
      await page.getByRole('button', { name: 'New tab' }).click();
      await used.analyst.write(`query ${name} { commune(insee: "76540") { nom } }`);
      await used.analyst.run();
    }
    await page.getByRole('button', { name: 'One', exact: true }).click();
    await drawnRows(page);
    await page.getByRole('button', { name: 'MissionsOfADepartment', exact: true }).click();
    expect(await page.locator('.pa-following').count()).toBe(1);
    release();
    await eventually(() => used.analyst.status()).toMatch(/all \d+ rows/);
    await page.unroute('**/graphql');
  });

  test.runIf(IS_LONG)('says why it cannot follow the pages below a list', async () => {
    const { page } = used.analyst;
    await used.analyst.write(
      '{ communes(code: "76600") { nom missions(first: 1, radius: 50) { pageInfo { hasNextPage endCursor } nodes { title } } } }',
    );
    await used.analyst.run();
    await page.getByLabel('List').selectOption('communes[].missions.nodes[]');
    await page.getByRole('button', { name: 'All pages' }).click();
    await eventually(() => page.textContent('.pa-toolbox:not([hidden])')).toContain(
      'Each row of communes has its own pages of missions',
    );
  });

  testThatNothingWasBroken(used);
});
