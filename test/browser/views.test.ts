import { afterEach, describe, expect, test } from 'vitest';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

/** A word of each panel. */
const PANELS = {
  'Documentation Explorer': 'Query',
  History: 'MissionsNearACommune',
  Composer: 'communes',
  'Saved queries': 'Save this query',
  Sources: 'volunteering',
};

/** What each view shows of the response, besides JSON. */
const DRAWN = {
  Table: '.pa-table tbody tr[aria-rowindex]',
  Counts: '.pa-counts tbody tr',
  Map: '.pa-ring',
  Trace: '.pa-trace table',
} as const;

describe('The page', () => {
  const used = openedAnalyst('#example=missions-near-a-commune');
  const failed = (part = 'body') => used.analyst.page.locator(part).locator('.pa-failed');
  afterEach(() => used.analyst.page.unrouteAll());

  test.each(Object.entries(DRAWN))('draws the view %s', async (view, drawn) => {
    if (view === 'Table') await used.analyst.run();
    await used.analyst.view(view as keyof typeof DRAWN);
    await used.analyst.page.locator(drawn).first().waitFor();
    expect(await failed().count()).toBe(0);
  });

  test.each(Object.entries(PANELS))('opens the panel %s', async (panel, word) => {
    const { page } = used.analyst;
    await page.getByRole('button', { name: `Show ${panel}` }).click();
    await eventually(() => page.locator('.graphiql-plugin').textContent()).toContain(word);
    expect(await failed().count()).toBe(0);
    await page.getByRole('button', { name: `Hide ${panel}` }).click();
  });

  test('keeps response and editors when the form fails, and has the form again when it no longer does', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    await page.evaluate(`window.scrollIntoView = Element.prototype.scrollIntoView;
      Element.prototype.scrollIntoView = () => { throw new Error('No scrolling today.'); };`);
    await page.getByRole('combobox', { name: /Commune/ }).fill('gre');
    await eventually(() => failed('.pa-pane').textContent()).toContain(
      'This part of the page failed: No scrolling today.',
    );
    expect(await page.locator('.pa-variables').count()).toBe(0);
    expect(await page.locator(DRAWN.Table).count()).toBeGreaterThan(0);
    expect(await used.analyst.brokenRules('.graphiql-response')).toEqual([]);
    await page.evaluate('Element.prototype.scrollIntoView = window.scrollIntoView');
    await failed().getByRole('button', { name: 'Try again' }).click();
    await page.locator('.pa-variables').waitFor();
    expect(await failed().count()).toBe(0);
  });

  testThatNothingWasBroken(used);
});
