import { beforeAll, describe, expect, test } from 'vitest';
import { everyRule } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';

const used = openedAnalyst('');

const press = (name: string | RegExp) => used.analyst.page.getByRole('button', { name }).first().click();
const leave = () => used.analyst.page.keyboard.press('Escape');
const view = (name: string) => used.analyst.page.click(`#pa-tab-${name}`);
const there = (part: string) => used.analyst.page.waitForSelector(part);
const language = (to: string) => used.analyst.page.evaluate(`document.querySelector('.pa-top[lang="${to}"]')?.click()`);
const go = (hash: string) => used.analyst.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
async function ask(words: string): Promise<void> {
  await used.analyst.page.locator('.pa-words input').fill(words);
  await used.analyst.page.keyboard.press('Enter');
}

/** How each state is reached from the one before it, in English. */
const STATES: Readonly<Record<string, () => Promise<unknown>>> = {
  'the subjects': () => there('.pa-subjects'),
  'the table': async () => {
    await ask('missions near Rouen');
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
  'a criterion that is chosen': async () => {
    await leave();
    await used.analyst.page.getByLabel('Add a criterion').selectOption({ label: 'Domain' });
    await there('.pa-criterion');
  },
  'a period': async () => {
    await leave();
    await used.analyst.page.getByLabel('Add a criterion').selectOption('starts');
    await there('.pa-criterion');
  },
  'the counts of rows': async () => {
    await leave();
    await view('Counts');
    await there('.pa-count-table');
  },
  'the map': async () => {
    await view('Map');
    await there('.pa-drawing');
    await press('Next point');
  },
  'the trace': async () => {
    await view('Trace');
    await there('.pa-trace table');
  },
  'counts with a map of départements': async () => {
    await ask('how many missions by département');
    await there('.pa-choropleth');
  },
  'words that are not understood': async () => {
    await ask('missions zorglub');
    await there('.pa-left-over');
  },
  'a question without rows': async () => {
    await go('#ask=offers&place=departement:76&level=LEVEL_8');
    await there('.pa-body .pa-empty li');
  },
  'what was asked': async () => {
    await press('Questions');
    await there('.pa-history li');
  },
  'the sources': async () => {
    await leave();
    await press('Sources');
    await there('.pa-figures');
  },
  'an error beside the editors, as JSON': async () => {
    await leave();
    await go('#code');
    await there('.graphiql-query-editor .view-line');
    await used.analyst.run('{ viewer { name } }');
    await view('JSON');
    await there('.pa-banner');
  },
};

const LOOKS = (['light', 'dark'] as const).flatMap((theme) => (['en', 'fr'] as const).map((to) => ({ theme, to })));

/** `npm test` has a row with every rule, and parts of an error, by the tests of those. */
describe('The page breaks no rule of axe', () => {
  beforeAll(() => used.analyst.page.emulateMedia({ reducedMotion: 'reduce' }));

  test.each(Object.entries(STATES))('in %s', async (_name, enter) => {
    const { page } = used.analyst;
    await enter();
    expect(await page.locator('.pa-failed').count()).toBe(0);
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
    await page.evaluate(`document.querySelector('.pa-skip').focus()`);
    await page.keyboard.press('Enter');
    await eventually(() => page.evaluate('document.activeElement.id')).toBe('pa-answer');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
  });

  testThatNothingWasBroken(used);
});
