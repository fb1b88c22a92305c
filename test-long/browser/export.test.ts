import { describe, expect, test } from 'vitest';
import { drawnRows } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';
import { downloaded, press } from '../../test/browser/download.js';
import { parseCsv } from '../../test/web/support.js';

const used = openedAnalyst('#sample=recruiters-near-a-commune');

describe('Questions to the daily export', () => {
  const openQuestion = async (hash: string, isDear = false) => {
    const { page } = used.analyst;
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    if (isDear) await page.locator('.pa-run').click();
    await eventually(() => page.locator('.pa-ask .pa-sentence').count()).toBe(1);
  };

  test('are drawn as a map, and are the same rows by data link and as files', async () => {
    const { page } = used.analyst;
    await used.analyst.run();
    await used.analyst.view('Map');
    await eventually(() => page.textContent('.pa-note')).toMatch(/^\d+ points/);
    await used.analyst.view('Table');
    expect((await drawnRows(page)).length).toBeGreaterThan(0);
    await press(page, 'Copy data link');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const [byLink, saved] = [await (await fetch(link)).text(), await downloaded(page, 'CSV')];
    expect(byLink).toBe(saved.bytes.toString('utf8'));
    const { features } = JSON.parse((await downloaded(page, 'GeoJSON')).bytes.toString('utf8'));
    expect(features).toHaveLength(parseCsv(byLink).length - 1);
  });

  test('list offers of a trade, as of a date, with what the export never holds', async () => {
    await openQuestion('#ask=offers&occupation=D1102');
    expect((await drawnRows(used.analyst.page)).length).toBeGreaterThan(0);
    const { data } = JSON.parse((await downloaded(used.analyst.page, 'JSON')).bytes.toString('utf8'));
    expect(data.exportedOffers).toMatchObject({
      asOf: expect.stringMatching(/^\d{4}-/),
      leavesOut: expect.stringContaining('The export never holds offers that the service fetches on the fly'),
    });
  });

  test('count by trade and level', async () => {
    const { page } = used.analyst;
    await openQuestion('#ask=offers&form=count&by=occupation,level');
    await eventually(() => page.locator('.pa-count-bar').count()).toBeGreaterThan(0);
  });

  test('join recruiters with the associations registered under their SIRETs', async () => {
    await openQuestion('#ask=recruiters-that-are-associations', true);
    const csv = (await downloaded(used.analyst.page, 'CSV')).bytes.toString('utf8');
    expect(
      parseCsv(csv)
        .flat()
        .some((cell) => /^W\d[\dA-Z]\d{7}$/.test(cell)),
    ).toBe(true);
  });

  test('are of data with a licence, and how far its index is is said', async () => {
    const { page } = used.analyst;
    await page.getByRole('button', { name: 'Sources' }).click();
    const card = page.locator('.pa-sources > li', { hasText: 'work-study' });
    await eventually(() => card.textContent()).toMatch(
      /Export of ?\d{4}-\d\d-\d\d, which the service licenses for non-profit use/,
    );
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const detail = 'the offers of the daily export are being indexed: 40 %';
      for (const source of json.data?.sources ?? [])
        if (source.name === 'work-study') Object.assign(source, { state: 'LOADING', detail });
      await route.fulfill({ response, json });
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await eventually(() => card.textContent()).toMatch(/LOADING.*being indexed: 40 %/);
    await page.unroute('**/graphql');
  });

  testThatNothingWasBroken(used);
});
