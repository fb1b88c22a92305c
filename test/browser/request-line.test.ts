import { beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { drawnRows } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const used = openedAnalyst('#example=missions-near-a-commune');

describe('A response', () => {
  const form = () => used.analyst.page.locator('.pa-variables');
  const commune = () => form().getByRole('combobox', { name: /Commune/ });
  /** Distances have a narrow no-break space before their unit. */
  const line = async () => (await used.analyst.page.textContent('.pa-request'))?.replaceAll('\u202f', ' ');
  const again = () => used.analyst.page.locator('.pa-request').getByRole('button');
  /** The rows or, in the view JSON, the editor. */
  const isDimmed = (part = '.pa-body') =>
    used.analyst.page.$eval(part, (one) => Number(one.computedStyleMap().get('opacity')) < 1);

  beforeAll(async () => {
    await used.analyst.view('Table');
    await used.analyst.run();
  });

  test('is named by its values, and dimmed with that name once the form has others, until it is run again', async () => {
    const { page } = used.analyst;
    await eventually(line).toBe('Response for Rouen, 10 km');
    expect(await isDimmed()).toBe(false);
    await form().getByLabel('Within').fill('25');
    await eventually(line).toBe('The values have changed since. Response for Rouen, 10 km · Run again');
    for (const view of ['Table', 'Counts', 'Map', 'Trace', 'JSON'] as const) {
      await used.analyst.view(view);
      expect(await isDimmed(view === 'JSON' ? '.result-window' : '.pa-body'), view).toBe(true);
      if (IS_LONG) expect(await used.analyst.brokenRules('.graphiql-response'), view).toEqual([]);
    }
    await used.analyst.view('Table');
    await page.getByRole('button', { name: 'Français' }).click();
    await eventually(line).toContain('Réponse pour Rouen, 10 km · Relancer');
    await page.getByRole('button', { name: 'English' }).click();
    await again().click();
    await eventually(line).toBe('Response for Rouen, 25 km');
    expect(await isDimmed()).toBe(false);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Run');
  });

  test.runIf(IS_LONG)('is that of the form again when the old values are', async () => {
    await form().getByLabel('Within').fill('26');
    await eventually(line).toContain('Run again');
    await form().getByLabel('Within').fill('25');
    await eventually(line).toBe('Response for Rouen, 25 km');
  });

  test.runIf(IS_LONG)('has its controls where they are pressed, though leaving the field takes a value', async () => {
    const { page } = used.analyst;
    await commune().fill('Grenoble');
    await form().getByRole('option').first().waitFor();
    const columns = page.getByRole('button', { name: 'Columns', exact: true });
    await columns.click();
    await eventually(line).toContain('Response for Rouen, 25 km · Run again');
    expect(await columns.getAttribute('aria-expanded')).toBe('true');
    await columns.click();
  });

  test.runIf(IS_LONG)('is run again only if the form has no mistake', async () => {
    const { page } = used.analyst;
    await form().getByLabel('Within').fill('-1');
    await eventually(line).toContain('Run again');
    await again().click();
    await eventually(() => page.evaluate('document.activeElement.type')).toBe('number');
    expect(await line()).toContain('Response for Rouen, 25 km');
  });

  test.runIf(IS_LONG)(
    'is one to an earlier query once that says something else, not when it is laid out otherwise',
    async () => {
      const { page } = used.analyst;
      await used.analyst.write('query ($n: Int) { missions(first: $n) { nodes { title } } }', { n: 3 });
      await used.analyst.run();
      await eventually(line).toBe('Response for Rows per page: 3');
      await page.getByRole('button', { name: /Prettify/ }).click();
      await eventually(() => page.locator('.graphiql-query-editor .view-line').count()).toBeGreaterThan(3);
      expect(await line()).toBe('Response for Rows per page: 3');
      await used.analyst.write('{ missions(first: 2) { nodes { title domain } } }');
      await eventually(line).toContain('Response to an earlier query (Rows per page: 3) · Run again');
      expect(await isDimmed()).toBe(true);
      await again().click();
      await eventually(line).toBe('');
      expect((await drawnRows(page)).map((row) => row.length)).toEqual([2, 2]);
    },
  );

  test.runIf(IS_LONG)('of a tab is compared with what stands in that tab', async () => {
    const { page } = used.analyst;
    const tab = (name: string) => page.locator('.graphiql-tab-button', { hasText: name });
    await page.evaluate(`location.hash = '#example=missions-and-their-communes'`);
    await eventually(() => page.textContent('.graphiql-tab-active')).toContain('MissionsAndTheirCommunes');
    await eventually(() => used.analyst.status()).toBe('');
    await used.analyst.run();
    await eventually(line).toMatch(/^Response for Rows per page: \d+$/);
    await tab('<untitled>').click();
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    expect(await line()).toBe('');
  });

  testThatNothingWasBroken(used);
});
