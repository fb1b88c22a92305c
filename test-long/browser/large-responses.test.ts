import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, openedAnalyst } from '../../test/browser/browsing.js';

/** Its own page: what other files left in a shared one would add to the work that is measured. */
const used = openedAnalyst('#code', { locale: 'en-US' });

describe('Large answers', () => {
  const rows = (count: number, text: string) =>
    Array.from({ length: count }, (_, index) => ({
      id: String(index),
      title: `${text} ${index}`,
      location: { lon: -4 + (index % 97) / 8, lat: 43 + (index % 61) / 8 },
    }));

  let body = '';
  // A body from Playwright's interception would be encoded, sent and decoded as part of a message.
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(body));
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { page } = used.analyst;
    await used.analyst.write('{ missions { nodes { id title location { lon lat } } } }');
    await page.route('**/graphql', (route) => route.continue({ url: `http://127.0.0.1:${port}/graphql` }));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('of 8,602 rows are a table and a map within little work', async () => {
    body = JSON.stringify({ data: { missions: { nodes: rows(8602, 'Mission') } } });
    const { page } = used.analyst;
    // The editor would lay the text out, and that is not measured.
    await used.analyst.view('Trace');
    await used.analyst.run();
    const drawn = (view: 'Table' | 'Map', place: string) => async () => {
      await used.analyst.view(view);
      await page.locator(place).first().waitFor({ state: 'attached' });
    };
    const unit = await calibrate(page);
    expect(await worked(page, drawn('Table', '.pa-rows tbody tr[aria-rowindex]'))).toBeLessThan(8 * unit);
    expect(await page.locator('.pa-table caption').textContent()).toMatch(/^8,602 rows of missions\.nodes\[\], /);
    expect(await page.locator('.pa-rows tbody tr[aria-rowindex]').count()).toBeLessThan(100);
    expect(await worked(page, drawn('Map', '.pa-cluster'))).toBeLessThan(8 * unit);
    expect(await page.textContent('.pa-note')).toContain('8,602 points');
  });

  test('of 100,000 rows are searched, counted and scrolled within little work', async () => {
    body = JSON.stringify({ data: { missions: { nodes: rows(100_000, 'Élèves de l’école élémentaire à Évreux') } } });
    const { page } = used.analyst;
    await used.analyst.run();
    await used.analyst.view('Table');
    const shown = page.locator('.pa-shown');
    await eventually(() => shown.textContent()).toBe('100,000 rows');
    const { unit, onTheClock } = await calibrateOnTheClock(page);
    const search = (text: string, count: string) => async () => {
      await page.getByLabel('Search in all columns').fill(text);
      await eventually(() => shown.textContent()).toBe(count);
    };
    await page.evaluate(`window.longest = 0; new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: 'longtask' });`);
    // The texts have been indexed before anybody types.
    await idle(page, unit);
    const searches = await leastOfEach(page, [
      search('evreux 777', '111 of 100,000 rows'),
      search('evreux 7777', '11 of 100,000 rows'),
      search('', '100,000 rows'),
    ]);
    expect(Math.max(...searches)).toBeLessThan(2.5 * Math.max(unit, await calibrate(page)));
    const caption = () => page.locator('.pa-count-table caption').textContent();
    const countBy = (column: string, groups: string) => async () => {
      await page.getByLabel('Count by').selectOption(column);
      await eventually(caption).toContain(`${groups} groups of 100,000 rows`);
    };
    await used.analyst.view('Counts');
    await eventually(caption).toContain('groups');
    const andBy = (column: string, groups: string) => async () => {
      await page.getByLabel(/^and /).selectOption(column);
      await eventually(caption).toContain(`${groups} groups of 100,000 rows`);
    };
    const [fewGroups, pairs, , manyGroups] = await leastOfEach(page, [
      countBy('location.lon', '97'),
      andBy('id', '100,000'),
      andBy('', '97'),
      countBy('title', '100,000'),
    ]);
    // If the machine became slower meanwhile, it slowed both.
    const unitByThen = Math.max(unit, await calibrate(page));
    expect(fewGroups).toBeLessThan(4 * unitByThen);
    expect(manyGroups).toBeLessThan(8 * unitByThen);
    // Building a text for each pair would take more than that.
    expect(pairs).toBeLessThan(3 * unitByThen);
    await used.analyst.view('Table');
    await page.evaluate(
      `(() => { const rows = document.querySelector('.pa-scroll'); rows.scrollTop = rows.scrollHeight; })()`,
    );
    await eventually(() => page.locator('.pa-rows tbody tr[aria-rowindex]').last().textContent()).toContain('99999');
    expect(await page.locator('.pa-rows tbody tr[aria-rowindex]').count()).toBeLessThan(120);
    await used.analyst.view('Map');
    const marks = page.locator('.pa-cluster');
    await eventually(() => marks.count()).toBeGreaterThan(20);
    const scale = () => page.textContent('.leaflet-control-scale-line');
    const whole = await scale();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await eventually(scale).not.toBe(whole);
    await page.focus('.pa-drawing');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('0');
    await eventually(scale).toBe(whole);
    // Slices of 12 ms on an idle machine; other work lengthens them, and the calibrations with them.
    const later = await calibrateOnTheClock(page);
    expect(await page.evaluate('longest')).toBeLessThan(4 * Math.max(onTheClock, later.onTheClock));
  });

  test('of 14 MB stay out of the editor, and the page stays quick', async () => {
    body = JSON.stringify({ data: { missions: { nodes: rows(32_000, 'x'.repeat(400)) } } });
    const { page } = used.analyst;
    await used.analyst.view('JSON');
    // Filling the editor with it would take more than that, and a gigabyte of memory.
    const unit = await calibrate(page);
    const work = await worked(page, used.analyst.run);
    // If the machine became slower meanwhile, it slowed both.
    expect(work).toBeLessThan(8 * Math.max(unit, await calibrate(page)));
    expect(await used.analyst.status()).toMatch(/1[4-5]\.\d MB/);
    await eventually(() => page.textContent('.result-window')).toMatch(/MB.of.JSON.is.too/);
    await used.analyst.view('Table');
    await page.waitForSelector('.pa-rows tbody tr[aria-rowindex]');
    expect(await page.locator('.pa-table caption').textContent()).toContain('32,000 rows');
  });
});

/** Waits until the page has nothing left to do. Checking is work too, and more of it on a slow machine. */
async function idle(page: Page, unit: number): Promise<void> {
  await eventually(() => worked(page, () => page.waitForTimeout(200))).toBeLessThan(unit / 2);
}

/** The unit of work, on the same thread: sorting many short texts. A table takes about three units. */
const UNIT = `void Array.from({ length: 200_000 }, (_, at) => 'x' + ((at * 7919) % 200_003)).sort()`;

function calibrate(page: Page): Promise<number> {
  return worked(page, () => page.evaluate(UNIT) as Promise<void>);
}

/** Calibrates, and also measures the elapsed time, which includes other work on the machine. */
async function calibrateOnTheClock(page: Page): Promise<{ readonly unit: number; readonly onTheClock: number }> {
  const startedMs = performance.now();
  const unit = await calibrate(page);
  return { unit, onTheClock: performance.now() - startedMs };
}

/**
 * The least that each act costs the page when all are done twice. Garbage collection, and more frequent polling on a
 * slow machine, only ever add to it.
 */
async function leastOfEach(page: Page, acts: readonly (() => Promise<void>)[]): Promise<number[]> {
  const least = acts.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 2; round += 1) {
    for (const [at, act] of acts.entries()) least[at] = Math.min(least[at]!, await worked(page, act));
  }
  return least;
}

/** Milliseconds of work that an act costs the page, as CPU time of its thread, whatever else runs on the machine. */
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
