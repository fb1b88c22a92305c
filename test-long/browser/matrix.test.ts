import type { BrowserContext } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { openAnalyst } from '../../test/browser/analyst.js';
import { browsing, eventually } from '../../test/browser/browsing.js';

const LANGUAGES = { en: 'en-GB', fr: 'fr-FR' } as const;
const WIDTHS = [390, 800, 1400];

/** The page in each language, theme and width. */
describe('The page, in every language, theme and width', () => {
  let context: BrowserContext | undefined;
  afterEach(() => context?.close());

  const cases = (['en', 'fr'] as const).flatMap((language) =>
    (['light', 'dark'] as const).flatMap((theme) => WIDTHS.map((width) => [language, theme, width] as const)),
  );

  test.each(cases)('%s, %s, %i px', async (language, theme, width) => {
    const { stack, chromium } = await browsing();
    context = await chromium.freshContext({ locale: LANGUAGES[language], colorScheme: theme });
    const analyst = await openAnalyst(context, `${stack.url}/graphiql#ask=missions&place=commune:76540~10`);
    const { page } = analyst;
    await page.setViewportSize({ width, height: 800 });
    expect(await page.getAttribute('html', 'lang')).toBe(language);
    await page.locator('.pa-sentence').waitFor();
    for (const view of ['Table', 'Counts', 'Map', 'Trace'] as const) {
      await page.click(`#pa-tab-${view}`);
      await eventually(() => page.locator('.pa-body').textContent()).not.toBe('');
      expect(await analyst.brokenRules(), view).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), view).toBeLessThanOrEqual(0);
    }
    expect(await analyst.violations()).toEqual([]);
    expect(analyst.offences).toEqual([]);
  });
});
