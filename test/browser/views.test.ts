import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

/** A word of each panel. */
const PANELS = {
  'Documentation Explorer': 'Query',
  History: 'MissionsNearACommune',
};

/** What each view shows of the response, besides JSON. */
const DRAWN = {
  Table: '.pa-table tbody tr[aria-rowindex]',
  Counts: '.pa-counts tbody tr',
  Map: '.pa-cluster',
  Trace: '.pa-trace table',
} as const;

describe.runIf(IS_LONG)('The page', () => {
  const used = openedAnalyst('#sample=missions-near-a-commune');
  const failed = () => used.analyst.page.locator('.pa-failed');

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

  testThatNothingWasBroken(used);
});
