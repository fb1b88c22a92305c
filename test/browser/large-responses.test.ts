import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Analyst, openAnalyst } from './analyst.js';
import { browsing, eventually } from './browsing.js';

describe('Large answers', () => {
  const rows = (count: number, text: string) =>
    Array.from({ length: count }, (_, index) => ({
      id: String(index),
      title: `${text} ${index}`,
      location: { lon: -4 + (index % 97) / 8, lat: 43 + (index % 61) / 8 },
    }));

  let large: Analyst;
  let body = '';
  beforeAll(async () => {
    const { chromium, stack } = await browsing();
    large = await openAnalyst(chromium.context, `${stack.url}/graphiql`);
    await large.write('{ missions { nodes { id title location { lon lat } } } }');
    await large.page.route('**/graphql', (route) => route.fulfill({ contentType: 'application/json', body }));
  });
  afterAll(() => large.page.close());

  test('of 8,602 rows are a table and a map within little work', async () => {
    body = JSON.stringify({ data: { missions: { nodes: rows(8602, 'Mission') } } });
    const { page } = large;
    await large.run();
    const drawn = (view: 'Table' | 'Map', place: string) => async () => {
      await large.view(view);
      await page.locator(place).first().waitFor({ state: 'attached' });
    };
    const unit = await worked(page, () => page.evaluate(UNIT) as Promise<void>);
    expect(await worked(page, drawn('Table', '.pa-table tbody tr'))).toBeLessThan(8 * unit);
    expect(await page.locator('.pa-table caption').textContent()).toBe('8,602 rows of missions.nodes[]');
    expect(await page.locator('.pa-table tbody tr').count()).toBe(100);
    expect(await worked(page, drawn('Map', '.pa-points path'))).toBeLessThan(8 * unit);
    expect(await page.textContent('.pa-note')).toContain('8,602 points');
  });

  test('of 14 MB stay out of the editor, and the page stays quick', async () => {
    body = JSON.stringify({ data: { missions: { nodes: rows(32_000, 'x'.repeat(400)) } } });
    const { page } = large;
    await large.view('JSON');
    // Filling the editor with it would take more than that, and a gigabyte.
    const unit = await worked(page, () => page.evaluate(UNIT) as Promise<void>);
    expect(await worked(page, large.run)).toBeLessThan(8 * unit);
    expect(await large.status()).toMatch(/1[4-5]\.\d MB/);
    await eventually(() => page.textContent('.result-window')).toMatch(/MB.of.JSON.are.too/);
    await large.view('Table');
    await page.waitForSelector('.pa-table tbody tr');
    expect(await page.locator('.pa-table caption').textContent()).toContain('32,000 rows');
  });
});

/** What the work is compared with, on the same thread: a sort of many short texts. A table takes about three of it. */
const UNIT = `void Array.from({ length: 200_000 }, (_, at) => 'x' + ((at * 7919) % 200_003)).sort()`;

/** Milliseconds of work that something costs the page: its thread's own time, whatever else runs on the machine. */
async function worked(page: Page, act: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const soFar = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const before = await soFar();
  await act();
  const ms = (await soFar()) - before;
  await session.detach();
  return ms;
}
