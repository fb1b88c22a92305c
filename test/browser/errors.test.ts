import { describe, expect, test } from 'vitest';
import { drawnRows } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

describe('An error', () => {
  const banner = () => used.analyst.page.locator('.pa-banner');

  test('is told by every view of what did not come, and by the status, and nothing is offered as a row', async () => {
    const { page } = used.analyst;
    const query =
      '{ commune(insee: "76540") { missions { edges { node { title } address { location { lon lat } } } } } }';
    const errors = [{ message: 'Late.', path: ['commune', 'missions'], extensions: { code: 'UPSTREAM_TIMEOUT' } }];
    const answers = [{ commune: { missions: null } }, { commune: { nom: 'Rouen', missions: null } }];
    await page.route('**/graphql', (route) => route.fulfill({ json: { data: answers[0], errors } }));
    await used.analyst.run(query);
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
    await used.analyst.run(failing);
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

  testThatNothingWasBroken(used);
});
