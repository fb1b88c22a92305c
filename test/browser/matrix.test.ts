import type { BrowserContext } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { openAnalyst } from './analyst.js';
import { browsing, eventually } from './browsing.js';

const LANGUAGES = { en: 'en-GB', fr: 'fr-FR' } as const;
const WIDTHS = [800, 1000, 1200, 1400];

const BAR_IS_WHOLE = `(() => {
  const [bar, table] = ['.pa-count-bar', '.pa-counts .pa-scroll'].map((place) => document.querySelector(place));
  return bar.getBoundingClientRect().right <= table.getBoundingClientRect().right;
})()`;

/** The page in each language, theme and width. */
describe.runIf(IS_LONG)('The page, in every language, theme and width', () => {
  let context: BrowserContext | undefined;
  afterEach(() => context?.close());

  const cases = (['en', 'fr'] as const).flatMap((language) =>
    (['light', 'dark'] as const).flatMap((theme) => WIDTHS.map((width) => [language, theme, width] as const)),
  );

  test.each(cases)('%s, %s, %i px', async (language, theme, width) => {
    const { stack, chromium } = await browsing();
    context = await chromium.freshContext({ locale: LANGUAGES[language], colorScheme: theme });
    const analyst = await openAnalyst(context, `${stack.url}/graphiql#example=missions-near-a-commune`);
    const { page } = analyst;
    await page.setViewportSize({ width, height: 800 });
    expect(await page.getAttribute('html', 'lang')).toBe(language);
    await page.locator('.pa-variables .pa-run').click();
    await eventually(() => analyst.status()).toMatch(/^HTTP 200/);
    for (const view of ['Table', 'Counts', 'Map', 'Trace', 'JSON'] as const) {
      await page.click(`#pa-tab-${view}`);
      if (view !== 'JSON') await eventually(() => page.locator('.pa-body').textContent()).not.toBe('');
      expect(await analyst.brokenRules('.graphiql-response'), view).toEqual([]);
      // If the bars were cut off, they would look alike.
      if (view === 'Counts') expect(await page.evaluate(BAR_IS_WHOLE)).toBe(true);
    }
    await page.locator('.graphiql-sidebar button:has([data-panel="saved"])').click();
    await page.locator('.pa-save button').first().click();
    await eventually(() => page.locator('.pa-saved-name').count()).toBe(1);
    expect(await analyst.brokenRules('.graphiql-plugin')).toEqual([]);
    await page.locator('.graphiql-sidebar button:has([data-panel="saved"])').click();
    await page.locator('.pa-top').first().click();
    await eventually(() => page.locator('.pa-example').count()).toBeGreaterThan(10);
    expect(await analyst.brokenRules('dialog')).toEqual([]);
    const sideways = await page.evaluate(
      `[document.documentElement, ...document.querySelectorAll('.pa-examples, .pa-variables, .pa-saved')]
        .filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.className)`,
    );
    expect(sideways).toEqual([]);
    expect(await analyst.violations()).toEqual([]);
    expect(analyst.offences).toEqual([]);
  });
});
