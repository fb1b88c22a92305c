import { describe, expect, test } from 'vitest';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

/** A response with a part missing. */
const partial = (extensions: object, message = 'No.') => ({
  data: { missions: { nodes: [{ title: 'A', commune: null }] } },
  errors: [{ message, path: ['missions', 'nodes', 0, 'commune'], extensions }],
});

describe('An error', () => {
  const banner = () => used.analyst.page.locator('.pa-banner');

  test('leads to the login that is missing, whose page in the sandbox says the password', async () => {
    await used.analyst.run('{ viewer { name } }');
    const link = banner().getByRole('link', { name: 'Connect' });
    expect(await link.getAttribute('href')).toBe('/auth/waste/login?returnTo=%2Fgraphiql');
    expect(await used.analyst.brokenRules('.pa-banner')).toEqual([]);
    await eventually(() => used.analyst.page.textContent('.pa-price')).toBe('Price known once you are connected');
    const login = await (await fetch(`${used.stack.sandbox.waste.authUrl}/login`)).text();
    expect(login).toContain('mot de passe <code>sandbox-mot-de-passe</code>');
  });

  test('leads to the field for a key of one’s own', async () => {
    const { page } = used.analyst;
    const json = partial({ code: 'CREDENTIALS_REJECTED', service: 'work-study' });
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('Sources') ? route.continue() : route.fulfill({ json }),
    );
    await used.analyst.run();
    await banner().getByRole('button', { name: 'Add key' }).click();
    await eventually(() => page.evaluate('document.activeElement.dataset.keyOf')).toBe('work-study');
    await page.keyboard.press('Escape');
    await page.unroute('**/graphql');
  });

  test('says what is missing in how many rows, and runs again', async () => {
    const { page } = used.analyst;
    const json = partial({ code: 'RATE_LIMITED', service: 'work-study', retryAfterSeconds: 1 }, 'Spent.');
    let isSpent = true;
    await page.route('**/graphql', (route) => {
      if (!isSpent || route.request().postData()?.includes('Sources')) return route.continue();
      isSpent = false;
      return route.fulfill({ json });
    });
    await used.analyst.run('{ commune(insee: "76540") { nom } }');
    await eventually(() => banner().textContent()).toContain(
      'work-study: RATE_LIMITED. 1 row lacks missions.nodes[].commune. Try again in 1 s.',
    );
    await banner().getByRole('button', { name: 'Run the whole query again' }).click();
    await eventually(() => banner().count()).toBe(0);
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    await page.unroute('**/graphql');
  });

  test('that has not come yet: the time that passed', async () => {
    const { page } = used.analyst;
    let release = (): void => {};
    await used.analyst.write('{ commune(insee: "76540") { nom } }');
    await page.route('**/graphql', async (route) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return route.continue();
    });
    await page.click('.graphiql-execute-button');
    await eventually(() => used.analyst.status()).toMatch(/^Running … \d+ s$/);
    release();
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    await page.unroute('**/graphql');
  });

  test('of a list whose pages cannot be followed adds what is missing to the query', async () => {
    const { page } = used.analyst;
    await used.analyst.run('{ missions(first: 5) { totalCount nodes { title } } }');
    await used.analyst.view('Table');
    await page.getByRole('button', { name: 'All pages' }).click();
    await page.getByRole('button', { name: 'Add pageInfo' }).click();
    await eventually(() => page.textContent('.graphiql-query-editor .view-lines')).toContain('endCursor');
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    await page.getByRole('button', { name: 'All pages' }).click();
    await eventually(() => page.getByRole('button', { name: 'Start', exact: true }).count()).toBe(1);
  });

  testThatNothingWasBroken(used);
});
