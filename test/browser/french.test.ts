import { beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { editorReady } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { press } from './download.js';
import { englishOn } from './english.js';

const used = openedAnalyst('#example=missions-near-a-commune', { locale: 'fr-FR' });

describe.runIf(IS_LONG)('The page in French', () => {
  const button = (name: string) => used.analyst.page.getByRole('button', { name });
  const english = () => englishOn(used.analyst.page);

  beforeAll(() => used.analyst.run());

  test('is there where the browser speaks it', async () => {
    expect(await used.analyst.page.getAttribute('html', 'lang')).toBe('fr');
  });

  test.each(['JSON', 'Table', 'Counts', 'Map', 'Trace'] as const)(
    'says nothing in English in the view %s',
    async (view) => {
      await used.analyst.view(view);
      await eventually(english).toEqual([]);
    },
  );

  test.each([
    'la documentation',
    'l’historique',
    'le composeur de requêtes',
    'les requêtes enregistrées',
    'les sources de données',
  ])('says nothing in English beside %s', async (panel) => {
    await button(`Montrer ${panel}`).click();
    await eventually(() => used.analyst.page.locator('.graphiql-plugin').textContent()).not.toBe('');
    await eventually(english).toEqual([]);
    await button(`Masquer ${panel}`).click();
  });

  test.each(['Montrer les raccourcis', 'Ouvrir les réglages', 'Exemples'])(
    'says nothing in English after "%s"',
    async (name) => {
      await button(name).click();
      await used.analyst.page.getByRole('dialog').waitFor();
      await eventually(english).toEqual([]);
      await used.analyst.page.keyboard.press('Escape');
    },
  );

  test('says nothing in English in the panels of the toolbar and beside an error', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    for (const name of ['Filtrer', 'Colonnes', 'Lien de données …']) {
      await press(page, name);
      await eventually(english).toEqual([]);
    }
    await press(page, 'Lien de données …');
    await page.route('**/graphql', (route) => route.abort());
    await page.click('.graphiql-execute-button');
    await eventually(() => used.analyst.status()).toContain(
      'Pas de réponse\u202f: la passerelle ne peut pas être jointe.',
    );
    await page.unroute('**/graphql');
    await used.analyst.write('{ viewer { name } absurde }');
    await used.analyst.run();
    await eventually(() => page.locator('.pa-banner li').first().textContent()).toMatch(
      /^La requête\u202f: GRAPHQL_\w+\. La/,
    );
    const missing = 'Le type «\u00a0Query\u00a0» n’a pas de champ «\u00a0absurde\u00a0».';
    await eventually(() => page.locator('.pa-banner li').first().textContent()).toContain(missing);
    await eventually(english).toEqual([]);
    // An unnamed operation leaves its tab untitled; at the mistake, the editor says the same as the banner.
    await eventually(() => page.textContent('.graphiql-tab-active .graphiql-tab-button')).toBe('<sans titre>');
    await page.locator('.squiggly-error').first().hover({ force: true });
    await eventually(() => page.locator('.monaco-hover-content').allTextContents()).toContainEqual(
      expect.stringContaining(missing),
    );
    await used.analyst.write('{ commune(insee: "x") { nom } }');
    await used.analyst.run();
    await eventually(() => page.locator('.pa-banner li').first().textContent()).toContain('BAD_USER_INPUT. Une valeur');
    expect(await page.locator('.pa-banner li').first().textContent()).toContain(
      '«\u00a0insee\u00a0» n’est pas un code INSEE.',
    );
    await eventually(english).toEqual([]);
  });

  test('has the editor’s menu, search and commands in French', async () => {
    const { page } = used.analyst;
    const known = async (place: string): Promise<string[]> => {
      const parts = await page.locator(place).all();
      const said = parts.map((part) =>
        Promise.all([part.textContent(), part.getAttribute('aria-label'), part.getAttribute('title')]),
      );
      return (await Promise.all(said)).flat().map((text) => (text ?? '').replace(/ \(.*\)$/, '').trim());
    };
    const untranslated = async (place: string): Promise<string[]> => {
      const texts = (await page.evaluate('Object.keys(editorTexts)')) as string[];
      return (await known(place)).filter((text) => texts.includes(text));
    };
    await page.locator('.graphiql-query-editor .view-line').first().click({ button: 'right' });
    const items = '.monaco-menu .action-label';
    await eventually(() => page.locator(items).allTextContents()).toContain('Lancer la requête');
    await eventually(() => known(items)).toEqual(expect.arrayContaining(['Copier', 'Palette de commandes']));
    expect(await untranslated(items)).toEqual([]);
    // A script creates its style sheet, which the policy must allow.
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('.monaco-menu .action-menu-item')).display`),
    ).toBe('flex');
    await page.keyboard.press('Escape');
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.press('Control+F');
    await page.locator('.find-widget.visible').waitFor();
    expect(await untranslated('.find-widget.visible *')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('F1');
    const commands = '.quick-input-list .monaco-list-row .label-name';
    await eventually(() => page.locator(commands).count()).toBeGreaterThan(3);
    expect(await untranslated(commands)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('turns to English and back, GraphiQL’s own texts too; the editor’s when it is loaded again', async () => {
    await button('English').click();
    await eventually(() => button('Show History').count()).toBe(1);
    expect(await used.analyst.page.title()).toBe('Passerelle: query the graph');
    await eventually(() => used.analyst.status()).toContain('The editor’s own menu follows');
    await button('Français').click();
    await eventually(() => button('Montrer l’historique').count()).toBe(1);
    await eventually(() => used.analyst.status()).not.toContain('menu');
  });

  test('says what it has said in the language that is chosen then', async () => {
    const { page } = used.analyst;
    await page.route('**/graphql', (route) => route.abort());
    await page.click('.graphiql-execute-button');
    await eventually(() => used.analyst.status()).toContain('Pas de réponse\u202f: la passerelle');
    await page.unroute('**/graphql');
    await button('English').click();
    await eventually(() => used.analyst.status()).toContain('No response: the gateway cannot be reached.');
    await button('Français').click();
    await eventually(() => used.analyst.status()).toContain('Pas de réponse\u202f: la passerelle');
  });

  test('is left for good by another choice; what is typed right before a reload stays too, in the same tab', async () => {
    const { page } = used.analyst;
    await button('English').click();
    const tabs = await page.locator('.graphiql-tab').count();
    await used.analyst.write('query Left { commune(insee: "76540") { nom } }', { typed: 'last' });
    await page.reload();
    await editorReady(page);
    // Reloaded again before the editors are there, it stores no empty ones.
    await page.route('**/assets/monaco-editor-*.js', () => {});
    await page.reload({ waitUntil: 'commit' });
    await eventually(() => page.textContent('.graphiql-tab-active')).toContain('Left');
    expect(await page.locator('.graphiql-query-editor .view-line').count()).toBe(0);
    await page.unrouteAll();
    await page.reload();
    await editorReady(page);
    await eventually(() => page.textContent('.graphiql-tab-active')).toContain('Left');
    await eventually(() => page.textContent('.graphiql-editor-tool .view-lines')).toContain('last');
    expect(await page.locator('.graphiql-tab').count()).toBe(tabs);
    expect(await page.getAttribute('html', 'lang')).toBe('en');
  });

  testThatNothingWasBroken(used);
});
