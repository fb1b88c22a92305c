import { beforeAll, describe, expect, test } from 'vitest';
import { drawnRows, openRow } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';
import { press } from '../../test/browser/download.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

const QUERY = `query Rows { missions(first: 30) { nodes {
  id title organizationName domain description descriptionHtml applicationUrl location { lon lat }
} } }`;
beforeAll(async () => {
  await used.analyst.run(QUERY);
  await used.analyst.view('Table');
  await used.analyst.page.click(cell(3, 2));
});

const cell = (row: number, column: number) => `.pa-rows tr[aria-rowindex="${row + 1}"] td:nth-child(${column})`;
const panel = () => used.analyst.page.locator('.pa-row-panel');
const focused = () => used.analyst.page.evaluate('document.activeElement.className');

describe('A row', () => {
  test('leads to the next by an arrow key, is left by Escape and opened again by Enter', async () => {
    const { page } = used.analyst;
    const place = () => panel().getByRole('status').textContent();
    expect(await focused()).toBe('pa-row-panel');
    for (const [key, now] of [
      ['ArrowDown', '4 of 30'],
      ['ArrowUp', '3 of 30'],
    ] as const) {
      await page.keyboard.press(key);
      await eventually(place).toBe(now);
    }
    expect(await page.getAttribute(cell(3, 1).replace(/ td.*/, ''), 'aria-current')).toBe('true');
    await page.keyboard.press('Escape');
    await eventually(() => panel().count()).toBe(0);
    expect(await focused()).toBe('pa-scroll');
    await page.keyboard.press('Enter');
    await eventually(place).toBe('1 of 30');
  });

  test('is copied with the names of its fields, and has a link to it alone', async () => {
    const { page } = used.analyst;
    const { id, title } = await openRow(page);
    await panel().getByRole('button', { name: 'Copy', exact: true }).click();
    await eventually(() => page.evaluate('navigator.clipboard.readText()')).toContain(`id\t${id}\ntitle\t${title}`);
    await press(page, 'Link');
    await eventually(() => page.evaluate('navigator.clipboard.readText()')).toContain('/graphiql#');
    const tabs = await page.locator('.graphiql-tab').count();
    await page.evaluate('navigator.clipboard.readText().then((link) => { location.hash = new URL(link).hash; })');
    // The tab in front has this query: it is the one that shows the row alone.
    await eventually(() => page.locator('.pa-chips li').allTextContents()).toEqual([expect.stringContaining(id ?? '')]);
    expect(await page.locator('.graphiql-tab').count()).toBe(tabs);
    expect((await drawnRows(page)).map((cells) => cells[1])).toEqual([title]);
    await press(page, 'Reset');
  });

  test('stands beside the map when its point is chosen', async () => {
    const { page } = used.analyst;
    await page.keyboard.press('Escape');
    await used.analyst.view('Map');
    await page.getByRole('button', { name: 'Next point' }).click();
    await eventually(async () => (await openRow(page))['title']).toMatch(/\w/);
    expect(await used.analyst.brokenRules('.pa-body')).toEqual([]);
    await panel().getByRole('button', { name: 'Close' }).click();
    await eventually(() => panel().count()).toBe(0);
    await used.analyst.view('Table');
  });
});

describe('A column', () => {
  test('stays in view if it is the first', async () => {
    const left = () => used.analyst.page.locator(cell(2, 1)).boundingBox();
    const before = (await left())?.x;
    await used.analyst.page.$eval('.pa-rows-frame .pa-scroll', (one) => one.scrollTo(300, 0));
    expect((await left())?.x).toBe(before);
  });
});

testThatNothingWasBroken(used);
