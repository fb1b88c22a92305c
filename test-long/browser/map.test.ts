import { beforeAll, describe, expect, test } from 'vitest';
import { drawnRows } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';

const used = openedAnalyst('#ask=missions&form=map&place=commune:76540~10');

describe('The map', () => {
  beforeAll(async () => {
    await used.analyst.page.emulateMedia({ reducedMotion: 'reduce' });
    await used.analyst.page.waitForSelector('.pa-search-area');
  });

  const points = async () => Number(/^\d+/.exec((await used.analyst.page.textContent('.pa-note')) ?? '')?.[0]);
  const scale = () => used.analyst.page.textContent('.leaflet-control-scale-line');
  const towns = () => used.analyst.page.locator('.pa-town').allTextContents();
  const singles = () => used.analyst.page.locator('path.pa-point').count();
  /** How many points the marks in view have. */
  const marked = async () => {
    const several = await used.analyst.page.locator('.pa-cluster').allTextContents();
    return several.reduce((sum, count) => sum + Number(count), await singles());
  };

  test('begins where was searched, with the circle, the names of towns and a scale bar', async () => {
    expect(await used.analyst.page.textContent('.pa-note')).toMatch(
      /^\d+ points, the whole list\. Dashed: the search area, 10 km around\./,
    );
    await eventually(towns).toEqual(expect.arrayContaining(['Rouen']));
    expect(await scale()).toMatch(/^[235] km$/);
    await eventually(marked).toBe(await points());
    expect(await used.analyst.brokenRules()).toEqual([]);
  });

  test('zooms by wheel, buttons and keys, moves by drag and arrow keys, and fits again', async () => {
    const { page } = used.analyst;
    const begin = await scale();
    const box = await page.locator('.pa-drawing').boundingBox();
    const [right, down] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    await page.mouse.move(right, down);
    await page.mouse.wheel(0, 600);
    await eventually(scale).not.toBe(begin);
    await page.getByRole('button', { name: 'Fit to the points' }).click();
    await eventually(scale).toBe(begin);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await eventually(scale).not.toBe(begin);
    await page.focus('.pa-drawing');
    await page.keyboard.press('-');
    await page.keyboard.press('-');
    await eventually(scale).toBe(begin);
    const before = await towns();
    await page.keyboard.press('Shift+ArrowRight');
    await eventually(towns).not.toEqual(before);
  });

  test('stays where it was moved, over other views', async () => {
    const moved = await towns();
    await used.analyst.view('Table');
    await used.analyst.view('Map');
    await eventually(towns).toEqual(moved);
    await used.analyst.page.getByRole('button', { name: 'Fit to the points' }).click();
  });

  test('has one mark for points near to each other, which comes apart by a click', async () => {
    const { page } = used.analyst;
    for (let step = 0; step < 4; step += 1) await page.getByRole('button', { name: 'Zoom out' }).click();
    const largest = page.locator('.pa-cluster').first();
    await largest.hover();
    await eventually(() => page.textContent('.pa-tip')).toMatch(/^\d+ rows hereClick to zoom in\.$/);
    const before = await page.locator('.pa-cluster').count();
    await largest.click();
    await eventually(async () => (await page.locator('.pa-cluster').count()) + (await singles())).toBeGreaterThan(
      before,
    );
  });

  test('filters by its legend, as the toolbar does: table, map and files have the same rows', async () => {
    const { page } = used.analyst;
    await page.getByRole('button', { name: 'Fit to the points' }).click();
    const all = await points();
    await page.getByLabel('Colour').selectOption({ label: 'Domain' });
    const [first, second] = await page.getByRole('group', { name: 'Legend: Domain' }).getByRole('button').all();
    const [, count = ''] = /\((\d+)\)/.exec((await first?.textContent()) ?? '') ?? [];
    await first?.click();
    await eventually(points).toBe(Number(count));
    await eventually(marked).toBe(Number(count));
    expect(await first?.getAttribute('aria-pressed')).toBe('true');
    expect(await second?.getAttribute('aria-pressed')).toBe('false');
    expect(await used.analyst.brokenRules()).toEqual([]);
    await first?.click();
    await eventually(points).toBe(all);
  });

  test('tells what lies under the pointer, and shows the row of a point that is clicked', async () => {
    const { page } = used.analyst;
    const point = page.locator('path.pa-point').last();
    await point.hover();
    await eventually(() => page.locator('.pa-tip strong').count()).toBe(1);
    const title = (await page.textContent('.pa-tip strong')) ?? '';
    await point.click();
    await eventually(() => page.locator('.pa-card dd').allTextContents()).toContain(title);
    await eventually(() => page.locator('path.pa-chosen').count()).toBe(1);
    await page.getByRole('button', { name: 'Show in the table' }).click();
    const row = page.locator('.pa-table tr[aria-current]');
    expect(await row.locator('td').allTextContents()).toContain(title);
    expect((await drawnRows(page)).length).toBeGreaterThan(0);
  });

  test('goes from point to point by keyboard', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Map');
    const place = () => page.textContent('.pa-steps span');
    await page.getByRole('button', { name: 'Next point' }).click();
    const before = await place();
    await page.getByRole('button', { name: 'Next point' }).press('Enter');
    expect(await place()).not.toBe(before);
    await page.getByRole('button', { name: 'Previous point' }).press('Enter');
    expect(await place()).toBe(before);
    expect(before).toMatch(/^\d+ of \d+$/);
  });

  test('has every list with positions as a layer in its colour, which is switched off and on', async () => {
    const { page } = used.analyst;
    await page.evaluate(`location.hash = '#ask=missions-and-workplaces&place=commune:76540~20'`);
    await used.analyst.view('Map');
    const layers = page.locator('.pa-layers label');
    await eventually(() => layers.count()).toBeGreaterThan(1);
    const [missions = 0] = (await layers.allTextContents()).map((text) => Number(/\((\d+)\)/.exec(text)?.[1]));
    const before = await marked();
    await layers.first().click();
    await eventually(marked).toBe(before - missions);
  });

  testThatNothingWasBroken(used);
});
