import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { drawnRows } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

/** A response with a part missing. */
const partial = (extensions: object, message = 'No.') => ({
  data: { missions: { nodes: [{ title: 'A', commune: null }] } },
  errors: [{ message, path: ['missions', 'nodes', 0, 'commune'], extensions }],
});

describe('An error', () => {
  const banner = () => used.analyst.page.locator('.pa-banner');

  test.runIf(IS_LONG)('leads to the login that is missing, whose page in the sandbox says the password', async () => {
    await used.analyst.write('{ viewer { name } }');
    await used.analyst.run();
    const link = banner().getByRole('link', { name: 'Connect' });
    expect(await link.getAttribute('href')).toBe('/auth/waste/login?returnTo=%2Fgraphiql');
    expect(await used.analyst.brokenRules('.pa-banner')).toEqual([]);
    await eventually(() => used.analyst.page.textContent('.pa-price')).toBe('Price known once you are connected');
    const login = await (await fetch(`${used.stack.sandbox.waste.authUrl}/login`)).text();
    expect(login).toContain('mot de passe <code>sandbox-mot-de-passe</code>');
  });

  test('is told by every view of what did not come, and by the status, and nothing is offered as a row', async () => {
    const { page } = used.analyst;
    const query =
      '{ commune(insee: "76540") { missions { edges { node { title } address { location { lon lat } } } } } }';
    const errors = [{ message: 'Late.', path: ['commune', 'missions'], extensions: { code: 'UPSTREAM_TIMEOUT' } }];
    const answers = [{ commune: { missions: null } }, { commune: { nom: 'Rouen', missions: null } }];
    await page.route('**/graphql', (route) => route.fulfill({ json: { data: answers[0], errors } }));
    await used.analyst.write(query);
    await used.analyst.run();
    expect(await used.analyst.status()).toMatch(/^Failed · HTTP 200/);
    for (const view of ['Table', 'Counts', 'Map'] as const) {
      await used.analyst.view(view);
      await eventually(() => page.textContent('.pa-body')).toBe('Nothing came: the errors above say why.');
    }
    answers.shift();
    await used.analyst.run();
    expect(await used.analyst.status()).toMatch(/^Incomplete · HTTP 200/);
    for (const view of ['Map', 'Counts', 'Table'] as const) {
      await used.analyst.view(view);
      await eventually(() => page.textContent('.pa-body')).toMatch(/^The list did not come: the errors above say why/);
    }
    expect(await used.analyst.brokenRules('.graphiql-response')).toEqual([]);
    await page.unroute('**/graphql');
  });

  test.runIf(IS_LONG)('leads to the field for a key of one’s own', async () => {
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

  test.runIf(IS_LONG)('says what is missing in how many rows, and runs again', async () => {
    const { page } = used.analyst;
    const json = partial({ code: 'RATE_LIMITED', service: 'work-study', retryAfterSeconds: 1 }, 'Spent.');
    let isSpent = true;
    await page.route('**/graphql', (route) => {
      if (!isSpent || route.request().postData()?.includes('Sources')) return route.continue();
      isSpent = false;
      return route.fulfill({ json });
    });
    await used.analyst.write('{ commune(insee: "76540") { nom } }');
    await used.analyst.run();
    await eventually(() => banner().textContent()).toContain(
      'work-study: RATE_LIMITED. 1 row lacks missions.nodes[].commune. Try again in 1 s.',
    );
    await banner().getByRole('button', { name: 'Run the whole query again' }).click();
    await eventually(() => banner().count()).toBe(0);
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    await page.unroute('**/graphql');
  });

  test('runs again what failed, not what is typed meanwhile, and of a mutation nothing', async () => {
    const { page } = used.analyst;
    const sent: string[] = [];
    let isSpent = true;
    const extensions = { code: 'RATE_LIMITED', service: 'work-study', retryAfterSeconds: 3 };
    await page.route('**/graphql', (route) => {
      const { query } = route.request().postDataJSON() as { query: string };
      const isOurs = query.includes('Sources') || route.request().headers()['x-passerelle-dry-run'] === '1';
      if (!isOurs) sent.push(query);
      if (isOurs || !isSpent) return route.continue();
      isSpent = false;
      return route.fulfill({ json: { data: null, errors: [{ message: 'Spent.', extensions }] } });
    });
    const again = () => banner().getByRole('button', { name: 'Run the whole query again' });
    const failing = '{ commune(insee: "76540") { nom } }';
    const mutation = 'mutation { generateAppointmentLink(input: { onisepId: "1" }) { __typename } }';
    await used.analyst.view('Table');
    await used.analyst.write(failing);
    await used.analyst.run();
    await used.analyst.write(mutation);
    await again().click();
    await eventually(() => banner().count()).toBe(0);
    expect(sent).toEqual([failing, failing]);
    expect((await drawnRows(page)).flat()).toContain('Rouen');
    isSpent = true;
    await used.analyst.run();
    await eventually(() => banner().textContent()).toContain('Spent.');
    expect([sent.at(-1), await again().count()]).toEqual([mutation, 0]);
    await page.unroute('**/graphql');
  });

  test.runIf(IS_LONG)('that has not come yet: the time that passed', async () => {
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

  test.runIf(IS_LONG)('of a list whose pages cannot be followed adds what is missing to the query', async () => {
    const { page } = used.analyst;
    await used.analyst.write('{ missions(first: 5) { totalCount nodes { title } } }');
    await used.analyst.run();
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
