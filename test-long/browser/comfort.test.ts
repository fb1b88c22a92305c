import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLOUR_RULES } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

/** A word of each panel; the others: everybody. */
const PANELS = { 'Documentation Explorer': 'Query', History: 'MissionsNearACommune' };

describe('The page in use', () => {
  beforeAll(() => used.analyst.run());

  // In light and dark, the page differs only in its colours.
  describe.each([
    { colorScheme: 'light', rules: undefined },
    { colorScheme: 'dark', rules: COLOUR_RULES },
  ] as const)('breaks no rule of accessibility, beyond stock GraphiQL, $colorScheme', ({ colorScheme, rules }) => {
    beforeAll(() => used.analyst.page.emulateMedia({ colorScheme }));
    afterAll(() => used.analyst.page.emulateMedia({ colorScheme: 'light' }));

    test.each(Object.entries(PANELS))('in %s', async (panel, word) => {
      const { page } = used.analyst;
      await page.getByRole('button', { name: `Show ${panel}` }).click();
      await eventually(() => page.locator('.graphiql-plugin').textContent()).toContain(word);
      expect(await page.locator('.pa-failed').count()).toBe(0);
      expect(await used.analyst.brokenRules('.graphiql-plugin', rules)).toEqual([]);
      await page.getByRole('button', { name: `Hide ${panel}` }).click();
    });
  });

  test('follows the system into the dark and back, the editor too', async () => {
    const { page } = used.analyst;
    const keyword = () =>
      page.evaluate(`getComputedStyle(document.querySelector('.graphiql-query-editor .view-line span span')).color`);
    const background = () =>
      page.evaluate(`getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor`);
    const [light, dark] = ['rgb(0, 0, 255)', 'rgb(86, 156, 214)'];
    await eventually(keyword).toBe(light);
    const paper = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    await eventually(keyword).toBe(dark);
    expect(await background()).not.toBe(paper);
    await page.emulateMedia({ colorScheme: 'light' });
    await eventually(keyword).toBe(light);
  });

  test('lets the pointer move the bar between the panes', async () => {
    const { page } = used.analyst;
    const bar = page.locator('.graphiql-horizontal-drag-bar').last();
    const place = async () => (await bar.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const before = await place();
    const [x, y] = [before.x + before.width / 2, before.y + before.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 150, y);
    await page.mouse.up();
    expect((await place()).x - before.x).toBeCloseTo(150, -1);
  });

  test.each([
    [683, 325],
    [640, 450],
  ])('has room for the response in a window of %d × %d, such as one that is zoomed', async (width, height) => {
    const { page } = used.analyst;
    await used.analyst.view('JSON');
    const overflow = () =>
      page.$eval('.graphiql-response', ({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    const seen = (part: string) =>
      page.$eval(part, (element) => {
        element.scrollIntoView();
        const { left, width, top, bottom } = element.getBoundingClientRect();
        const middle = (Math.max(0, top) + Math.min(bottom, element.ownerDocument.documentElement.clientHeight)) / 2;
        return element.contains(element.ownerDocument.elementFromPoint(left + width / 2, middle));
      });
    await page.setViewportSize({ width, height });
    await eventually(async () => (await page.locator('.result-window').boundingBox())?.height).toBeGreaterThan(100);
    await page.locator('#pa-tab-JSON').press('ArrowRight');
    await page.waitForSelector('.pa-scroll', { state: 'attached' });
    for (const part of ['.pa-search', '.pa-scroll']) await eventually(() => seen(part)).toBe(true);
    expect((await page.locator('.graphiql-tab').first().boundingBox())?.width).toBeGreaterThan(40);
    expect((await page.locator('.pa-logo').boundingBox())?.x).toBeLessThan(width - 40);
    await page.setViewportSize({ width: 1440, height: 900 });
    await eventually(overflow).toBe(0);
  });

  test('moves between the tabs of the response by arrow keys, and leaves the editor by Tab', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Trace');
    await page.focus('#pa-tab-Trace');
    await page.keyboard.press('ArrowRight');
    expect(await page.getAttribute('#pa-tab-JSON', 'aria-selected')).toBe('true');
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.press('Tab');
    const inside = await page.evaluate(`document.activeElement.closest('.monaco-editor') !== null`);
    expect(inside).toBe(false);
  });

  test('completes names, underlines mistakes, runs by Ctrl-Enter, makes pretty', async () => {
    const { page } = used.analyst;
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{ comm');
    await page.keyboard.press('Control+Space');
    await page.waitForSelector('.suggest-widget .monaco-list-row');
    await eventually(() => page.textContent('.suggest-widget')).toContain('commune');
    await page.keyboard.press('Escape');
    await used.analyst.write('{ communes(code: "27620") { nom nothing } }');
    await page.waitForSelector('.graphiql-query-editor .squiggly-error');
    await used.analyst.write('{ communes(code: "27620") { nom } }');
    await page.keyboard.press('Control+Enter');
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    await page.getByRole('button', { name: /Prettify/ }).click();
    await eventually(() => page.locator('.graphiql-query-editor .view-line').count()).toBeGreaterThan(3);
  });

  test('has keys for views and tabs, from anywhere', async () => {
    const { page } = used.analyst;
    const view = () => page.getAttribute('.pa-tabs [aria-selected="true"]', 'id');
    const tab = () => page.getAttribute('.graphiql-tab-active .graphiql-tab-button', 'id');
    await page.focus('.graphiql-query-editor textarea');
    const before = { view: await view(), tab: await tab() };
    await page.keyboard.press('F8');
    await eventually(view).not.toBe(before.view);
    await page.keyboard.press('Shift+F8');
    await eventually(view).toBe(before.view);
    await page.getByRole('button', { name: 'New tab' }).click();
    before.tab = await tab();
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.press('F9');
    await eventually(tab).not.toBe(before.tab);
    await page.keyboard.press('Shift+F9');
    await eventually(tab).toBe(before.tab);
  });

  test('names the source of a gap and the rows that lack something', async () => {
    await used.analyst.run('{ a: commune(insee: "76540") { nom } viewer { name } b: commune(insee: "9999") { nom } }');
    const banner = (await used.analyst.page.textContent('.pa-banner')) ?? '';
    expect(banner).toContain('waste-identity: CREDENTIALS_REQUIRED. Missing: viewer.');
    expect(banner).toContain('BAD_USER_INPUT');
  });

  testThatNothingWasBroken(used);
});
