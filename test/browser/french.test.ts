import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { FRENCH } from '../../analyst/page/composer/labels.js';
import { GRAPHIQL_FRAMES, GRAPHIQL_TEXTS } from '../../analyst/page/graphiql/french.js';
import labels from '../../analyst/page/labels/labels.json' with { type: 'json' };
import type { Texts } from '../../analyst/page/state/language.js';
import { IS_LONG } from '../runs.js';
import { leaves } from '../web/support.js';
import { editorReady } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { press } from './download.js';

const page = new URL('../../analyst/page/', import.meta.url);

/** Words of the page's English texts that none of its French texts has. */
const ENGLISH = await englishWords();

async function englishWords(): Promise<ReadonlySet<string>> {
  const files = readdirSync(page, { recursive: true, encoding: 'utf8' }).filter((file) => /\btexts\.ts$/.test(file));
  const modules = await Promise.all(files.map((file) => import(`${page}${file}`)));
  const catalogues = modules
    .flatMap((module) => Object.values<Texts<unknown>>(module))
    .filter((one) => typeof one === 'object');
  const said = (language: 'en' | 'fr') => catalogues.flatMap((one) => Object.values(leaves(one[language])).map(prose));
  const labelled = [...Object.values(FRENCH), ...Object.values(labels.fields).map(({ fr }) => fr)];
  const french = new Set(wordsOf([...said('fr'), ...Object.values(GRAPHIQL_TEXTS), ...labelled]));
  const english = wordsOf([
    ...[...said('en'), ...Object.keys(GRAPHIQL_TEXTS)],
    ...GRAPHIQL_FRAMES.flatMap(([framed]) => framed),
  ]);
  return new Set(english.filter((word) => !french.has(word)));
}

/** The words of a text; if it is a function's source, those of its literals without what is interpolated. */
function prose(text: string): string {
  if (!text.includes('=>')) return text;
  const quoted = [...text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g)].map(([one]) => one);
  return quoted.map((one) => one.replaceAll(/\$\{[^}]*\}/g, ' ')).join(' ');
}

function wordsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.toLowerCase().match(/[\p{L}’']{3,}/gu) ?? []);
}

/** Names of services, kinds of plan nodes, codes, keys and columns. */
const NAMES =
  'work study volunteering waste identity fetch field join parallel enter graphql validation failed query title domain docs tab focus'.split(
    ' ',
  );

/** Routes of services, whose quotas are listed once they have been called, and error codes. */
const ROUTE_OR_CODE = /\b(GET|POST) \/\S+|\b[A-Z]+(_[A-Z]+)+\b/g;

/** Parts whose texts are data, code, or taken from the schema. */
const DATA = [
  ...['code', 'pre', 'option', 'small', 'td', 'th', 'dd', 'noscript', 'label[title]', '[lang=en]', '.monaco-editor'],
  ...['.pa-example strong', '.pa-example span', '.graphiql-tab-button'],
  ...['.graphiql-doc-explorer-type-name'],
].join();

const used = openedAnalyst('#example=missions-near-a-commune', { locale: 'fr-FR' });

describe('The page in French', () => {
  const button = (name: string) => used.analyst.page.getByRole('button', { name });
  const english = async (): Promise<string[]> => {
    const said = (await used.analyst.page.evaluate(`(() => {
      const said = new Set();
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
        node.nodeType === 1 && node.matches(${JSON.stringify(DATA)}) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.nodeType === 3) said.add(node.data.trim());
        else for (const name of ['aria-label', 'title', 'placeholder']) said.add(node.getAttribute(name)?.trim() ?? '');
      }
      return [...said];
    })()`)) as string[];
    const written = (text: string) => wordsOf([text.replaceAll(ROUTE_OR_CODE, '')]);
    return said.filter((text) => written(text).some((word) => ENGLISH.has(word) && !NAMES.includes(word)));
  };

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

  test.runIf(IS_LONG)(
    'is left for good by another choice; what is typed right before a reload stays too, in the same tab',
    async () => {
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
    },
  );

  testThatNothingWasBroken(used);
});
