import { beforeAll, describe, test } from 'vitest';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';

const used = openedAnalyst();

describe('The sources on the page', () => {
  beforeAll(() => used.analyst.page.getByRole('button', { name: 'Sources' }).click());

  test('says that the file of offers is still loading', async () => {
    const { page } = used.analyst;
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const source of json.data?.sources ?? []) {
        if (source.name === 'work-study') Object.assign(source, { state: 'LOADING', exportLoadedAt: null });
      }
      await route.fulfill({ response, json });
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    const card = page.locator('.pa-sources > li', { hasText: 'work-study' });
    await eventually(() => card.textContent()).toMatch(
      /LOADING.*Export of ?loading: workplaces by SIRET are incomplete until then/,
    );
    await page.unroute('**/graphql');
  });

  test('tells a gateway without login from one that cannot say now', async () => {
    const { page } = used.analyst;
    for (const [status, words] of [
      [404, 'Logging in is off: no client of the platform is configured'],
      [503, 'unknown: The gateway cannot reach its session store'],
      [null, 'unknown: The gateway does not respond'],
    ] as const) {
      await page.route('**/auth/session', (route) => (status === null ? route.abort() : route.fulfill({ status })));
      await page.getByRole('button', { name: 'Refresh' }).click();
      await eventually(() => page.textContent('.pa-panel')).toContain(words);
      await page.unroute('**/auth/session');
    }
    await page.getByRole('button', { name: 'Refresh' }).click();
  });

  testThatNothingWasBroken(used);
});
