import { strFromU8, unzipSync } from 'fflate';
import type { Route } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { downloaded } from './download.js';

const used = openedAnalyst('#example=missions-and-their-communes');

/** The counts of a page of missions, and those of all missions, which the source counts. */
describe('What the source counts', () => {
  const caption = () => used.analyst.page.textContent('.pa-count-table caption');
  const excel = () => used.analyst.page.getByRole('button', { name: 'Counts: Excel', exact: true });
  const isOfSource = (route: Route) => route.request().postData()?.includes('AllMissions');

  /** The saved workbook: its name, and the texts of its second sheet. */
  async function saved(): Promise<{ name: string; about: string }> {
    const { name, bytes } = await downloaded(used.analyst.page, 'Counts: Excel');
    return { name, about: strFromU8(unzipSync(bytes)['xl/worksheets/sheet2.xml'] ?? new Uint8Array()) };
  }

  beforeAll(() => used.analyst.run());
  afterEach(() => used.analyst.page.unroute('**/graphql'));

  test('is waited for, and its file says what was asked, of what, and that the source counted', async () => {
    const { page } = used.analyst;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (isOfSource(route)) await held;
      await route.continue();
    });
    await used.analyst.view('Counts');
    await eventually(caption).toContain('the source is counting');
    expect(await excel().isDisabled()).toBe(true);
    release();
    await eventually(caption).toContain('counted at the source');
    const { name, about } = await saved();
    const { missionCounts } = (await used.stack.send('{ missionCounts(by: DEPARTMENT) { total } }')).data;
    expect(name).toBe('counts.xlsx');
    expect(about).toMatch(/missionCounts\(by: DEPARTMENT/);
    expect(about).toContain(`${missionCounts.total} (counted at the source, of all missions of this selection)`);
    expect(about).not.toContain('nodes {');
  });

  test('stands for nothing where it is a part: counts and file are those of the list, and say so', async () => {
    const { page } = used.analyst;
    await page.route('**/graphql', async (route) => {
      if (!isOfSource(route)) return route.continue();
      const response = await route.fetch();
      const json = await response.json();
      Object.assign(json.data.missionCounts, { complete: false, counted: json.data.missionCounts.total - 1 });
      await route.fulfill({ response, json });
    });
    await page.getByLabel('Count by').selectOption('domain');
    await eventually(caption).toContain('of 50 rows, one page of a list');
    const { name, about } = await saved();
    expect(name).toBe('counts-incomplete.xlsx');
    expect(about).not.toContain('missionCounts');
    expect(about).toContain('missions.nodes[]');
  });

  test.runIf(IS_LONG)('is drawn whatever characters the rows have', async () => {
    const { page } = used.analyst;
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const [one, other] = json.data.missions?.nodes ?? [];
      if (one && other) [one.city, other.city] = ['a\u000bb', `${'a'.repeat(34)}\u{1f600} and more`];
      await route.fulfill({ response, json });
    });
    await used.analyst.run();
    await page.getByLabel('Count by').selectOption('city');
    await eventually(caption).toContain('of 50 rows');
    const svg = (await downloaded(page, 'SVG')).bytes.toString('utf8');
    expect(svg).toContain('>a\ufffdb<');
    expect(svg).toContain(`>${'a'.repeat(34)}\ufffd…<`);
    expect((await downloaded(page, 'PNG')).bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  testThatNothingWasBroken(used);
});
