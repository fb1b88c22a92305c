import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { drawnRows, everyRule } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { press } from './download.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

const QUERY = `query Rows { missions(first: 30) { nodes {
  id title organizationName domain description descriptionHtml applicationUrl location { lon lat }
} } }`;

const cell = (row: number, column: number) => `.pa-rows tr[aria-rowindex="${row + 1}"] td:nth-child(${column})`;
const panel = () => used.analyst.page.locator('.pa-row-panel');
const focused = () => used.analyst.page.evaluate('document.activeElement.className');

/** The fields of the row that is open, by name. */
async function fields(): Promise<Record<string, string>> {
  const pairs = await panel()
    .locator('.pa-card > div')
    .evaluateAll((all) => all.map((one) => ['dt', 'dd'].map((part) => one.querySelector(part)?.textContent ?? '')));
  return Object.fromEntries(pairs);
}

describe('A row', () => {
  test('is opened by a click with all its fields, whole, and HTML as text', async () => {
    const { page } = used.analyst;
    await used.analyst.write(QUERY);
    await used.analyst.run();
    await used.analyst.view('Table');
    await page.click(cell(3, 2));
    const sent = (await used.stack.send(QUERY)).data.missions.nodes[2];
    const shown = await fields();
    // Missions of equal start come in any order, and not all of them have a place.
    const place = sent.location === null ? {} : { 'location.lon': expect.stringMatching(/^-?\d/) };
    expect(shown).toMatchObject({ id: sent.id, title: sent.title, ...place });
    expect(shown['description']?.replaceAll(/\s+/g, ' ')).toBe(sent.description.trim().replaceAll(/\s+/g, ' '));
    expect(sent.descriptionHtml).toMatch(/<p>/);
    expect(shown['descriptionHtml']).not.toMatch(/<\/?(p|li|br|img)/);
    expect(await page.getAttribute('.pa-row-panel dd a', 'rel')).toBe('noopener noreferrer');
    expect(await everyRule(page)).toEqual([]);
  });

  test('is opened at once, whatever its texts are made of', async () => {
    const { page } = used.analyst;
    const long = 400_000;
    const nodes = [{ id: '1', spaces: `<b>a${' '.repeat(long)}</b>b`, scripts: `${'<script '.repeat(long / 8)}<br>` }];
    await page.route('**/graphql', (route) => route.fulfill({ json: { data: { missions: { nodes } } } }));
    await used.analyst.run();
    await page.unroute('**/graphql');
    await page.click(cell(1, 1));
    expect(await fields()).toMatchObject({ id: '1', spaces: expect.stringMatching(/^a +b$/) });
    await page.keyboard.press('Escape');
    await used.analyst.run();
    await page.click(cell(3, 2));
  });

  test.runIf(IS_LONG)('leads to the next by an arrow key, is left by Escape and opened again by Enter', async () => {
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

  test.runIf(IS_LONG)('is copied with the names of its fields, and has a link to it alone', async () => {
    const { page } = used.analyst;
    const { id, title } = await fields();
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

  test.runIf(IS_LONG)('stands beside the map when its point is chosen', async () => {
    const { page } = used.analyst;
    await page.keyboard.press('Escape');
    await used.analyst.view('Map');
    await page.getByRole('button', { name: 'Next point' }).click();
    await eventually(async () => (await fields())['title']).toMatch(/\w/);
    expect(await used.analyst.brokenRules('.pa-body')).toEqual([]);
    await panel().getByRole('button', { name: 'Close' }).click();
    await eventually(() => panel().count()).toBe(0);
    await used.analyst.view('Table');
  });
});

describe.runIf(IS_LONG)('A column', () => {
  test('stays in view if it is the first', async () => {
    const left = () => used.analyst.page.locator(cell(2, 1)).boundingBox();
    const before = (await left())?.x;
    await used.analyst.page.$eval('.pa-rows-frame .pa-scroll', (one) => one.scrollTo(300, 0));
    expect((await left())?.x).toBe(before);
  });
});

testThatNothingWasBroken(used);
