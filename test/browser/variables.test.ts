import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

describe('The form of variables', () => {
  const used = openedAnalyst('#example=missions-near-a-commune');
  const form = () => used.analyst.page.locator('.pa-variables');
  const commune = () => form().getByRole('combobox', { name: /Commune/ });
  const json = async () => JSON.parse(((await editor()) ?? '').replaceAll('\u00a0', ' '));
  const editor = () => used.analyst.page.textContent('.graphiql-editor-tool .view-lines');

  test('finds a commune by its name, without an upstream call, and Enter requests it', async () => {
    await used.analyst.view('JSON');
    used.stack.forgetCalls();
    await commune().fill('greno');
    await eventually(() => form().getByRole('option').first().textContent()).toContain('Grenoble');
    expect(used.stack.calls()).toEqual([]);
    await commune().press('Enter');
    expect(await commune().inputValue()).toBe('Grenoble (38185)');
    await eventually(json).toEqual({ insee: '38185', radius: 10 });
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    await eventually(() => used.analyst.page.textContent('.result-window')).toContain('Grenoble');
  });

  test('sends one request for Enter before the options come and for Enter once more, and another for other values', async () => {
    const { page } = used.analyst;
    const sent: unknown[] = [];
    const held: (() => void)[] = [];
    await page.route('**/graphql', async (route) => {
      const { query, variables } = route.request().postDataJSON() as { query: string; variables: object };
      const isDryRun = route.request().headers()['x-passerelle-dry-run'] === '1';
      if (isDryRun || !query.includes('MissionsNearACommune')) return route.continue();
      sent.push(variables);
      await new Promise<void>((release) => held.push(release));
      return route.continue().catch(() => {});
    });
    await commune().fill('rouen');
    await commune().press('Enter');
    await eventually(() => sent).toEqual([{ insee: '76540', radius: 10 }]);
    await commune().press('Enter');
    await form().getByRole('button', { name: 'Run' }).click();
    await form().getByLabel('Within').fill('12');
    await form().getByLabel('Within').press('Enter');
    await eventually(() => sent).toEqual([
      { insee: '76540', radius: 10 },
      { insee: '76540', radius: 12 },
    ]);
    for (const release of held) release();
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    await page.unroute('**/graphql');
  });

  test('leaves response and editors when it fails, and is there again when it no longer does', async () => {
    const { page } = used.analyst;
    const failed = page.locator('.pa-pane .pa-failed');
    const rows = page.locator('.pa-table tbody tr[aria-rowindex]');
    await used.analyst.view('Table');
    await page.evaluate(`window.scrollIntoView = Element.prototype.scrollIntoView;
      Element.prototype.scrollIntoView = () => { throw new Error('No scrolling today.'); };`);
    await rows.first().waitFor();
    await commune().fill('gre');
    await eventually(() => failed.first().textContent()).toContain('This part of the page failed: No scrolling today.');
    expect(await form().count()).toBe(0);
    expect(await rows.count()).toBeGreaterThan(0);
    if (IS_LONG) expect(await used.analyst.brokenRules('.graphiql-response')).toEqual([]);
    await page.evaluate('Element.prototype.scrollIntoView = window.scrollIntoView');
    await failed.getByRole('button', { name: 'Try again' }).click();
    await form().waitFor();
    expect(await failed.count()).toBe(0);
  });

  test.runIf(IS_LONG)(
    'takes a commune whose name is typed in full when the field is left, however soon and however it is written',
    async () => {
      for (const [typed, taken] of [
        ['saint malo', 'Saint-Malo (35288)'],
        ['St-Étienne', 'Saint-Étienne (42218)'],
      ] as const) {
        await commune().fill(typed);
        await commune().press('Tab');
        await eventually(() => commune().inputValue()).toBe(taken);
      }
      await commune().fill('76000');
      await eventually(() => form().getByRole('status').textContent()).toContain('not as a postal code');
      await commune().fill('Grenoble');
      await commune().press('Tab');
      await eventually(json).toEqual({ insee: '38185', radius: 12 });
    },
  );

  test.runIf(IS_LONG)(
    'takes nothing that was not typed or reached by arrows for an Enter in an open list',
    async () => {
      await used.analyst.write(
        'query ($d: String!) { missions(domain: [$d], first: 2) { totalCount nodes { domain } } }',
        { d: 'sport' },
      );
      const domain = form().getByRole('combobox', { name: /Domain/ });
      await domain.click();
      await form().getByRole('option').first().waitFor();
      await domain.press('Enter');
      await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
      expect(await json()).toEqual({ d: 'sport' });
      await domain.press('ArrowDown');
      await eventually(() => form().locator('[aria-selected="true"]').count()).toBe(1);
      await domain.press('Escape');
    },
  );

  test.runIf(IS_LONG)('stays in step with the editor, both ways', async () => {
    await used.analyst.write(
      'query ($d: [String!], $n: Int = 5) { missions(department: $d, first: $n) { totalCount } }',
      {
        d: ['93'],
      },
    );
    await eventually(() => form().locator('.pa-chip').allTextContents()).toEqual(['Seine-Saint-Denis (93)×']);
    await form().getByLabel('Rows per page').fill('7');
    await eventually(json).toEqual({ d: ['93'], n: 7 });
    await form().getByRole('button', { name: 'Remove Seine-Saint-Denis (93)' }).press('Enter');
    await eventually(json).toEqual({ n: 7 });
    await eventually(() => used.analyst.page.evaluate('document.activeElement.role')).toBe('combobox');
    expect(await used.analyst.brokenRules('.pa-variables')).toEqual([]);
  });

  test.runIf(IS_LONG)(
    'labels a variable with what takes it, and tells two of a kind apart by their names',
    async () => {
      await used.analyst.write(
        `query ($siret: SIRET, $city: [String!], $sought: String, $from: INSEECode!, $to: INSEECode!) {
        organizations(siret: $siret) { totalCount }
        missionSearch(text: $sought, city: $city, lat: 48, lon: 3) { totalCount }
        from: commune(insee: $from) { nom }
        to: commune(insee: $to) { nom }
      }`,
      );
      const labels = ['siret', 'city', 'Words', 'Commune (from) required', 'Commune (to) required'];
      await eventually(() => form().locator('.pa-field > label').allTextContents()).toEqual(labels);
    },
  );

  test('tells what is missing or wrong before anything is sent', async () => {
    const { page } = used.analyst;
    await used.analyst.write('query ($code: RNCPCode!) { certifications(rncp: $code) { totalCount } }', {});
    await eventually(() => form().getByRole('alert').textContent()).toBe('A value is needed.');
    let sent = 0;
    await page.route('**/graphql', (route) => {
      sent += 1;
      return route.continue();
    });
    const code = form().getByRole('textbox');
    await code.fill('39');
    await code.press('Enter');
    await eventually(() => form().getByRole('alert').textContent()).toContain('such as RNCP39908');
    expect(sent).toBe(0);
    await code.fill('39908');
    await form().getByRole('button', { name: 'As JSON' }).click();
    expect(await code.inputValue()).toBe('RNCP39908');
    expect(await page.evaluate(`document.activeElement.closest('.graphiql-editor-tool') !== null`)).toBe(true);
    await form().getByRole('button', { name: 'Run' }).click();
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    expect(sent).toBe(1);
    await page.unroute('**/graphql');
  });

  test.runIf(IS_LONG)('takes a code that is not offered, and says that it can be typed', async () => {
    await used.analyst.write('query ($r: [ROMECode!]) { jobSearch(romes: $r) { truncated } }', {});
    const occupation = form().getByRole('combobox', { name: /Occupation/ });
    await occupation.fill('M1855');
    await eventually(() => form().getByRole('status').textContent()).toContain('Any other code can be typed');
    await occupation.press('Enter');
    await eventually(json).toEqual({ r: ['M1855'] });
    await occupation.fill('développement informatique');
    await eventually(() => form().getByRole('option').first().textContent()).toContain('M1805');
    await occupation.press('Escape');
    await form().getByRole('button', { name: 'Remove M1855' }).click();
  });

  test.runIf(IS_LONG)('speaks the language that is chosen', async () => {
    const { page } = used.analyst;
    await page.getByRole('button', { name: 'Français' }).press('Enter');
    await eventually(() => page.evaluate('document.activeElement.textContent')).toBe('English');
    await eventually(() => form().getByRole('button').first().textContent()).toBe('Lancer');
    expect(await page.getAttribute('html', 'lang')).toBe('fr');
    expect(await page.textContent('#pa-tab-Table')).toBe('Tableau');
    await page.getByRole('button', { name: 'English' }).click();
    expect(await page.getAttribute('html', 'lang')).toBe('en');
  });

  testThatNothingWasBroken(used);
});
