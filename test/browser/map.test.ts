import { beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { drawnRows } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const used = openedAnalyst('#example=missions-near-a-commune');

describe.runIf(IS_LONG)('The map', () => {
  beforeAll(async () => {
    await used.analyst.page.emulateMedia({ reducedMotion: 'reduce' });
    await used.analyst.run();
    await used.analyst.view('Map');
    await used.analyst.page.waitForSelector('.pa-towns text');
    await used.analyst.page.waitForSelector('.pa-search-area');
    await used.analyst.page.waitForSelector('.pa-price:not(:empty)');
  });

  /** The scale at which the drawing is shown, and the position of its corner. */
  async function placement() {
    const transform = (await used.analyst.page.getAttribute('.pa-drawing > g', 'transform')) ?? '';
    const [x = 0, y = 0, k = 0] = (transform.match(/-?[\d.]+/g) ?? []).map(Number);
    return { x, y, k };
  }
  const scale = async () => (await placement()).k;
  const points = async () => Number(/^\d+/.exec((await used.analyst.page.textContent('.pa-note')) ?? '')?.[0]);

  /** The middle of the drawing within the window, and the drawing's height. */
  async function middle() {
    const box = await used.analyst.page.locator('.pa-drawing').boundingBox();
    const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
    return { right: x + width / 2, down: y + height / 2, height };
  }

  /** The middles of the marks in view that no button covers; marks of several points separately, largest first. */
  async function marks(): Promise<{ one: [number, number][]; several: { at: [number, number]; count: number }[] }> {
    return used.analyst.page.evaluate(`(() => {
      const { x, y, width, height } = document.querySelector('.pa-drawing').getBoundingClientRect();
      const inView = ([right, down]) => right > x && right < x + width - 50 && down > y && down < y + height;
      const one = [...document.querySelectorAll('.pa-dots')].flatMap((path) =>
        [...path.getAttribute('d').matchAll(/M([-\\d.]+) ([-\\d.]+)/g)].map(([, right, down]) => [x + +right, y + +down]));
      const several = [...document.querySelectorAll('.pa-points text')].map((mark) => {
        const box = mark.getBoundingClientRect();
        return { at: [box.x + box.width / 2, box.y + box.height / 2], count: +mark.textContent };
      });
      return {
        one: one.filter(inView),
        several: several.filter(({ at }) => inView(at)).sort((one, other) => other.count - one.count),
      };
    })()`) as never;
  }

  test('begins where was searched, with the circle, the names of towns and a scale bar', async () => {
    const { page } = used.analyst;
    expect(await page.textContent('.pa-note')).toMatch(
      /^\d+ points, the whole list\. Dashed: the search area, 10 km around\./,
    );
    // The list of towns arrives after the map.
    await eventually(() => page.locator('.pa-towns text').allTextContents()).toEqual(
      expect.arrayContaining(['Rouen', 'Maromme', 'Bonsecours']),
    );
    expect(await page.textContent('.pa-scale')).toBe('5 km');
    const { one, several } = await marks();
    expect(one.length + several.reduce((sum, { count }) => sum + count, 0)).toBe(await points());
    const [circle, map] = [
      await page.locator('.pa-search-area').boundingBox(),
      await page.locator('.pa-drawing').boundingBox(),
    ];
    expect(circle?.height).toBeLessThan(map?.height ?? 0);
    expect(circle?.height).toBeGreaterThan((map?.height ?? 0) / 2);
  });

  test('zooms and moves by wheel, drag, double click, buttons and keys, and fits again', async () => {
    const { page } = used.analyst;
    const { right, down, height } = await middle();
    const begin = await scale();
    await page.mouse.move(right, down);
    await page.mouse.wheel(0, 200);
    await eventually(scale).toBeLessThan(0.9 * begin);
    const out = await scale();
    await page.mouse.dblclick(right, down);
    await eventually(scale).toBeCloseTo(2 * out, 1);
    const before = await placement();
    await page.mouse.move(right, down);
    await page.mouse.down();
    await page.mouse.move(right + 60, down - 30, { steps: 3 });
    await page.mouse.up();
    await eventually(async () => (await placement()).x - before.x).toBeCloseTo(60, 0);
    // What arrives late above the map, such as the price, moves its middle.
    const shift = ((await middle()).height - height) / 2;
    expect((await placement()).y - before.y).toBeCloseTo(-30 + shift, 0);
    await page.getByRole('button', { name: 'Fit to the points' }).click();
    await eventually(scale).toBeCloseTo(begin, 1);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await eventually(scale).toBeCloseTo(2 * begin, 1);
    await page.focus('.pa-drawing-frame');
    await page.keyboard.press('-');
    await eventually(scale).toBeCloseTo(begin, 1);
    const { x: corner } = await placement();
    await page.keyboard.press('ArrowRight');
    await eventually(async () => (await placement()).x).toBeCloseTo(corner - 80, 0);
    await page.keyboard.press('0');
    await eventually(async () => (await placement()).x).toBeCloseTo(corner, 0);
  });

  test('stays under the pointer that drags it when its window changes meanwhile', async () => {
    const { page } = used.analyst;
    const { right, down, height } = await middle();
    const before = await placement();
    await page.mouse.move(right, down);
    await page.mouse.down();
    await page.mouse.move(right + 30, down + 10, { steps: 3 });
    await page.setViewportSize({ width: 1440, height: 860 });
    await eventually(async () => (await page.locator('.pa-drawing').boundingBox())?.height).toBeLessThan(height);
    await page.mouse.move(right + 60, down + 20, { steps: 3 });
    await page.mouse.up();
    await eventually(async () => (await placement()).x - before.x).toBeCloseTo(60, 0);
    expect((await placement()).y - before.y).toBeCloseTo(20, 0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Fit to the points' }).click();
    await eventually(scale).toBeCloseTo(before.k, 1);
  });

  test('stays where it was moved, over other views', async () => {
    const { page } = used.analyst;
    const begin = await scale();
    for (const times of [2, 4, 8]) {
      await page.getByRole('button', { name: 'Zoom out' }).click();
      await eventually(scale).toBeCloseTo(begin / times, 1);
    }
    await used.analyst.view('Table');
    await used.analyst.view('Map');
    await eventually(scale).toBeCloseTo(begin / 8, 1);
    await eventually(() => page.textContent('.pa-scale')).toBe('20 km');
    await eventually(() => page.locator('.pa-towns text').allTextContents()).toContain('Le Havre');
  });

  test('has one mark for points near to each other, which comes apart by a click', async () => {
    const { page } = used.analyst;
    const before = await scale();
    const [mark] = (await marks()).several;
    expect(mark?.count).toBeGreaterThan(5);
    await page.mouse.move(...(mark?.at ?? [0, 0]));
    await eventually(() => page.textContent('.pa-tip')).toBe(`${mark?.count} rows hereClick to zoom in.`);
    await page.mouse.click(...(mark?.at ?? [0, 0]));
    await eventually(scale).toBeGreaterThan(4 * before);
    await eventually(async () => (await marks()).one.length).toBeGreaterThan(3);
  });

  test('filters by its legend, as the toolbar does: table, map and files have the same rows', async () => {
    const { page } = used.analyst;
    const all = await points();
    await page.getByLabel('Colour').selectOption('domain');
    const [first, second] = await page.getByRole('group', { name: 'Legend: domain' }).getByRole('button').all();
    const [, domain = '', count = ''] = /(\S+) \((\d+)\)/.exec((await first?.textContent()) ?? '') ?? [];
    expect(await page.locator('.pa-ring').count()).toBeGreaterThan(1);
    await first?.click();
    await eventually(() => page.locator('.pa-shown').textContent()).toBe(`${all - Number(count)} of ${all} rows`);
    await eventually(points).toBe(all - Number(count));
    expect(await first?.getAttribute('aria-pressed')).toBe('false');
    expect(await second?.getAttribute('aria-pressed')).toBe('true');
    expect(await page.locator('.pa-chips li').allTextContents()).toEqual([`domain ≠ ${domain} ×`]);
    expect(await used.analyst.brokenRules('.graphiql-response')).toEqual([]);
    await used.analyst.view('Table');
    await eventually(async () => (await drawnRows(page)).flat()).not.toContain(domain);
    await used.analyst.view('Map');
    await first?.click();
    await eventually(points).toBe(all);
  });

  test('tells what lies under the pointer, and shows the row of a point that is clicked', async () => {
    const { page } = used.analyst;
    let at: [number, number] = [0, 0];
    // The marks may still be moving, so this points at one until its label appears.
    await eventually(async () => {
      at = (await marks()).one[0] ?? at;
      await page.mouse.move(at[0] + 1, at[1]);
      await page.mouse.move(...at);
      return page.locator('.pa-tip strong').count();
    }).toBe(1);
    const title = (await page.textContent('.pa-tip strong')) ?? '';
    expect(await page.textContent('.pa-tip')).toMatch(/distance: [\d.]+ km/);
    await page.mouse.click(...at);
    await eventually(() => page.locator('.pa-card dd').allTextContents()).toContain(title);
    expect(await page.locator('.pa-chosen').count()).toBe(1);
    await page.getByRole('button', { name: 'Show in the table' }).click();
    const marked = page.locator('.pa-table tr[aria-current]');
    expect(await marked.locator('td').allTextContents()).toContain(title);
    expect(await marked.isVisible()).toBe(true);
    expect(await page.evaluate('document.activeElement.className')).toBe('pa-row-panel');
  });

  test('goes from point to point by keyboard, and draws the coasts of the départements overseas', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Map');
    await page.waitForSelector('.pa-drawing');
    const place = () => page.textContent('.pa-steps span');
    await page.getByRole('button', { name: 'Next point' }).click();
    const before = await place();
    await page.getByRole('button', { name: 'Next point' }).focus();
    await page.keyboard.press('Enter');
    expect(await place()).not.toBe(before);
    await page.getByRole('button', { name: 'Previous point' }).press('Enter');
    expect(await place()).toBe(before);
    expect(before).toMatch(/^\d+ of \d+$/);
    for (const path of await page.locator('.pa-outlines g path').all()) {
      expect((await path.getAttribute('d'))?.match(/L/g)?.length).toBeGreaterThan(30);
    }
    expect(await page.locator('.pa-inset-name').allTextContents()).toEqual([
      ...['Guadeloupe', 'Martinique', 'Guyane', 'La Réunion', 'Mayotte'],
    ]);
  });

  test('moves under one finger and zooms under two', async () => {
    const { page } = used.analyst;
    const touch = await page.context().newCDPSession(page);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    // The map checks for touch when it is created.
    await used.analyst.view('Table');
    await used.analyst.view('Map');
    await page.waitForSelector('.pa-drawing > g');
    const { right, down } = await middle();
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...at: (readonly [number, number])[]) =>
      touch.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: at.map(([across, along], id) => ({ x: across, y: along, id })),
      });
    const before = await placement();
    await send('touchStart', [right, down]);
    await send('touchMove', [right + 30, down - 10]);
    await send('touchMove', [right + 60, down - 30]);
    await send('touchEnd');
    await eventually(async () => (await placement()).x - before.x).toBeCloseTo(60, 0);
    const moved = await placement();
    expect([moved.y - before.y, moved.k]).toEqual([expect.closeTo(-30, 0), expect.closeTo(before.k, 3)]);
    await send('touchStart', [right - 40, down], [right + 40, down]);
    await send('touchMove', [right - 60, down], [right + 60, down]);
    await send('touchMove', [right - 80, down], [right + 80, down]);
    await send('touchEnd');
    await eventually(scale).toBeCloseTo(2 * before.k, 1);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await touch.detach();
  });

  test('has every list with positions as a layer in its colour, which is switched off and on', async () => {
    const { page } = used.analyst;
    await used.analyst.write(`{ commune(insee: "76540") {
      missions(radius: 20, first: 100) { nodes { title location { lon lat } } }
      jobSearch(radius: 20) { jobs { offer { title } workplace { location { geopoint { type coordinates } } } } }
    } }`);
    await used.analyst.run();
    await used.analyst.view('Map');
    const layers = page.locator('.pa-layers label');
    await eventually(() => layers.count()).toBe(2);
    const points = async () => {
      const said = (await page.getAttribute('.pa-drawing', 'aria-label')) ?? '';
      return Number(/(\d+) points/.exec(said)?.[1]);
    };
    const each = (await layers.allTextContents()).map((text) => Number(/\((\d+)\)/.exec(text)?.[1]));
    const [missions = 0, jobs = 0] = each;
    await eventually(points).toBe(missions + jobs);
    await layers.first().click();
    await eventually(points).toBe(jobs);
    await page.getByRole('button', { name: 'Next point' }).click();
    await eventually(() => page.locator('.pa-card dt').allTextContents()).toContain('offer.title');
    await page.getByRole('button', { name: 'Show in the table' }).click();
    await eventually(() => page.locator('.pa-rows [aria-current]').count()).toBe(1);
    expect(await page.textContent('.pa-table caption')).toContain('commune.jobSearch.jobs[]');
  });

  testThatNothingWasBroken(used);
});
