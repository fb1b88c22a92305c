import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const used = openedAnalyst();

describe.runIf(IS_LONG)('The panel of examples', () => {
  const panel = () => used.analyst.page.getByRole('dialog');
  const cards = () => panel().locator('.pa-example');
  const open = async () => {
    await used.analyst.page.getByRole('button', { name: 'Examples' }).click();
    await cards().first().waitFor();
  };
  const tabs = () => used.analyst.page.locator('.graphiql-tab');
  const active = () => used.analyst.page.textContent('.graphiql-tab-active');

  test('groups them, each with what it is for, its view and its price, and is not cut off at any size', async () => {
    const { page } = used.analyst;
    await open();
    expect(await panel().getByRole('heading', { level: 3 }).count()).toBe(5);
    expect(await cards().count()).toBeGreaterThanOrEqual(15);
    expect(await cards().first().textContent()).toMatch(/Map · about \d+ calls$/);
    for (const [width, height] of [
      [1400, 900],
      [800, 600],
      [400, 400],
    ] as const) {
      await page.setViewportSize({ width, height });
      await cards().last().scrollIntoViewIfNeeded();
      for (const part of [panel(), cards().last(), panel().getByRole('searchbox')]) {
        const box = (await part.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
        expect(box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= height).toBe(true);
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('Escape');
  });

  test('finds by a word of the domain and the name of a commune, runs once, and shows the best view', async () => {
    const { page } = used.analyst;
    await open();
    await panel().getByRole('searchbox').fill('bénévolat Grenoble');
    await eventually(() => cards().allTextContents()).toContainEqual(expect.stringContaining('with Grenoble'));
    let sent = 0;
    await page.route('**/graphql', (route) => {
      // Where the response is late, its price is asked for meanwhile.
      if (!isOfMap(route) && route.request().headers()['x-passerelle-dry-run'] !== '1') sent += 1;
      return route.continue();
    });
    await panel()
      .getByRole('button', { name: /^Missions around a commune/ })
      .click();
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    expect(sent).toBe(1);
    expect(await page.textContent('.graphiql-editor-tool .view-lines')).toContain('38185');
    expect(await page.getAttribute('#pa-tab-Map', 'aria-selected')).toBe('true');
    await page.unroute('**/graphql');
  });

  test('brings to front what is open already, without running it again', async () => {
    const { page } = used.analyst;
    const count = await tabs().count();
    await page.getByRole('button', { name: 'MissionsAndTheirCommunes', exact: true }).click();
    let sent = 0;
    await page.route('**/graphql', (route) => {
      if (!isOfMap(route)) sent += 1;
      return route.continue();
    });
    await open();
    await panel()
      .getByRole('button', { name: /^Missions around a commune/ })
      .click();
    await eventually(active).toContain('MissionsNearACommune');
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    expect(await tabs().count()).toBe(count);
    expect(sent).toBe(0);
    await page.unroute('**/graphql');
  });

  test('names the commune that a search filled in, in the form too', async () => {
    await open();
    await panel().getByRole('searchbox').fill('missions Saint-Malo');
    await eventually(() => cards().allTextContents()).toContainEqual(expect.stringContaining('with Saint-Malo'));
    await panel()
      .getByRole('button', { name: /^Missions around a commune/ })
      .click();
    const commune = used.analyst.page.getByRole('combobox', { name: /Commune/ });
    await eventually(() => commune.inputValue()).toBe('Saint-Malo (35288)');
  });

  test('keeps the active tab in sight', async () => {
    const { page } = used.analyst;
    await page.setViewportSize({ width: 800, height: 600 });
    for (const name of [/^All missions of a dép/, /^Courses that lead/, /^How many missions in each/]) {
      await open();
      await panel().getByRole('button', { name }).click();
      await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    }
    const sees = () =>
      page.evaluate(`(() => {
        const tab = document.querySelector('.graphiql-tab-active').getBoundingClientRect();
        const bar = document.querySelector('.graphiql-tabs').getBoundingClientRect();
        return tab.left >= bar.left - 1 && tab.right <= bar.right + 1;
      })()`);
    await eventually(sees).toBe(true);
    await page.getByRole('button', { name: 'MissionsAndTheirCommunes', exact: true }).click();
    await eventually(sees).toBe(true);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  testThatNothingWasBroken(used);
});

/** Once its part of the page is loaded, the map requests the centre around which a query searched. */
function isOfMap(route: Route): boolean {
  return route.request().postData()?.includes('CentreOfCommune') === true;
}
