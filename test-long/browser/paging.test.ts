import { beforeAll, describe, expect, test } from 'vitest';
import { drawnRows } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';

const used = openedAnalyst('#sample=missions-of-a-department');

describe('The pages of a list', () => {
  beforeAll(async () => {
    await used.analyst.run();
    await used.analyst.view('Table');
  });

  test('stops where a quota is spent, and goes on from there', async () => {
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

  test('go on while other tabs get responses, which they keep', async () => {
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
      await used.analyst.run(`query ${name} { commune(insee: "76540") { nom } }`);
    }
    await page.getByRole('button', { name: 'One', exact: true }).click();
    await drawnRows(page);
    await page.getByRole('button', { name: 'MissionsOfADepartment', exact: true }).click();
    expect(await page.locator('.pa-following').count()).toBe(1);
    release();
    await eventually(() => used.analyst.status()).toMatch(/all \d+ rows/);
    await page.unroute('**/graphql');
  });

  test('says why it cannot follow the pages below a list', async () => {
    const { page } = used.analyst;
    await used.analyst.run(
      '{ communes(code: "76600") { nom missions(first: 1, radius: 50) { pageInfo { hasNextPage endCursor } nodes { title } } } }',
    );
    await page.getByLabel('List').selectOption('communes[].missions.nodes[]');
    await page.getByRole('button', { name: 'All pages' }).click();
    await eventually(() => page.textContent('.pa-toolbox:not([hidden])')).toContain(
      'Each row of communes has its own pages of missions',
    );
  });

  testThatNothingWasBroken(used);
});
