import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

const VIEWS = ['JSON', 'Table', 'Counts', 'Map', 'Trace'] as const;

/** Controls and texts beside the editors. */
const IN_TABS = ':is(.graphiql-session-header, .pa-bar-top) :is(button, a):not(.pa-skip)';
const IN_RESPONSE = '.pa-pane :is(button, input, select), .pa-pane :is(.pa-status, .pa-price)';

describe('The page in a window that is as narrow as a telephone', () => {
  /** The parts that, scrolled into view, have something else over their middle. */
  const covered = (parts: string) =>
    used.analyst.page.$$eval(parts, (elements) =>
      elements
        .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
        .filter((element) => {
          element.scrollIntoView();
          const { left, top, width, height } = element.getBoundingClientRect();
          const hit = element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
          return hit === null || !(element.closest('label') ?? element).contains(hit);
        })
        .map(({ outerHTML }) => outerHTML.slice(0, 120)),
    );
  const overflow = (part: string) => used.analyst.page.$eval(part, (one) => one.scrollWidth - one.clientWidth);

  beforeAll(async () => {
    await used.analyst.run();
    await used.analyst.page.setViewportSize({ width: 360, height: 740 });
  });

  test.each(VIEWS)('has every control in reach in %s', async (view) => {
    await used.analyst.view(view);
    if (view === 'Table') await used.analyst.page.waitForSelector('.pa-scroll');
    await eventually(() => covered(IN_RESPONSE)).toEqual([]);
    if (view !== 'JSON') expect(await overflow('.pa-body')).toBe(0);
  });

  test('has the tabs in reach', async () => {
    expect(await covered(IN_TABS)).toEqual([]);
  });

  test('has its panes beside each other again in a wider one, where no control is wider than its pane', async () => {
    const { page } = used.analyst;
    await page.setViewportSize({ width: 490, height: 740 });
    await used.analyst.view('Table');
    const place = (part: string) => page.$eval(part, (one) => one.getBoundingClientRect().top);
    expect(await place('.graphiql-response')).toBe(await place('.graphiql-editors'));
    await eventually(() => overflow('.pa-body')).toBe(0);
  });

  testThatNothingWasBroken(used);
});
