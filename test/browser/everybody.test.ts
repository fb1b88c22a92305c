import { beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { everyRule } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const used = openedAnalyst('#example=missions-near-a-commune');

const press = (name: string | RegExp) => used.analyst.page.getByRole('button', { name }).first().click();
const leave = () => used.analyst.page.keyboard.press('Escape');
const view = (name: string) => used.analyst.page.click(`#pa-tab-${name}`);
const icon = (panel: string) => used.analyst.page.click(`.graphiql-sidebar button:has([data-panel="${panel}"])`);
const there = (part: string) => used.analyst.page.waitForSelector(part);
const language = (to: string) => used.analyst.page.evaluate(`document.querySelector('.pa-top[lang="${to}"]')?.click()`);

/** How each state is reached from the one before it, in English. */
const STATES: Readonly<Record<string, () => Promise<unknown>>> = {
  'editors without an answer': () => there('.pa-questions'),
  'a question without an answer': () => used.analyst.page.keyboard.press('F2'),
  'the table': async () => {
    await used.analyst.page.click('.pa-questions button');
    await view('Table');
    await there('.pa-rows td');
  },
  'a row': async () => {
    await used.analyst.page.click('.pa-rows td');
    await there('.pa-row-panel');
  },
  'the filter': async () => {
    await leave();
    await press('Filter');
  },
  'the columns': async () => {
    await leave();
    await press('Columns');
  },
  'the menu of files': async () => {
    await leave();
    await used.analyst.page.getByText('Export', { exact: true }).click();
  },
  'the link to the data': async () => {
    await leave();
    await used.analyst.page.getByText('Share', { exact: true }).click();
    await press('Data link …');
  },
  'the counts': async () => {
    await leave();
    await view('Counts');
    await there('.pa-count-table');
  },
  'the map': async () => {
    await view('Map');
    await there('.pa-drawing');
    await press('Next point');
  },
  'the trace': () => view('Trace'),
  'the examples': async () => {
    await press('Examples');
    await there('.pa-example');
  },
  'a search of questions and fields': async () => {
    await used.analyst.page.getByRole('dialog').getByRole('searchbox').fill('SIRET');
    await there('.pa-example code');
  },
  'the sources': async () => {
    // Once for the words, and once for the dialog.
    await leave();
    await leave();
    await icon('sources');
    await there('.pa-figures');
  },
  'the saved queries': async () => {
    await icon('saved');
    await there('.pa-save');
  },
  'the composer': async () => {
    await icon('composer');
    await used.analyst.page.getByLabel('Find a field').fill('');
    await there('.pa-branches');
  },
  'a search in the composer': async () => {
    await used.analyst.page.getByLabel('Find a field').fill('SIRET');
    await there('.pa-found');
  },
  'an error beside the editors, as JSON': async () => {
    await icon('composer');
    await used.analyst.page.keyboard.press('F2');
    await used.analyst.write('{ viewer { name } }');
    await used.analyst.run();
    await view('JSON');
    await there('.pa-banner');
  },
};

const LOOKS = (['light', 'dark'] as const).flatMap((theme) => (['en', 'fr'] as const).map((to) => ({ theme, to })));

/** `npm test` has a row with every rule, and parts of an error and of the composer, by the tests of those. */
describe.runIf(IS_LONG)('The page breaks no rule of axe', () => {
  beforeAll(() => used.analyst.page.emulateMedia({ reducedMotion: 'reduce' }));

  test.each(Object.entries(STATES))('in %s', async (_name, enter) => {
    const { page } = used.analyst;
    await enter();
    for (const { theme, to } of LOOKS) {
      await page.emulateMedia({ colorScheme: theme });
      await language(to);
      await eventually(() => page.getAttribute('html', 'lang')).toBe(to);
      expect(await everyRule(page), `${theme}, ${to}`).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await language('en');
  });

  test('and leads keyboards to the answer first', async () => {
    const { page } = used.analyst;
    await page.evaluate('document.activeElement.blur()');
    await page.evaluate(`document.querySelector('.pa-skip').focus()`);
    await page.keyboard.press('Enter');
    await eventually(() => page.evaluate('document.activeElement.id')).toBe('pa-answer');
    // The page reads links when the browser says that the address changed, which it says after the focus moved.
    await eventually(() => page.evaluate('location.hash')).toBe('');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
  });

  testThatNothingWasBroken(used);
});
