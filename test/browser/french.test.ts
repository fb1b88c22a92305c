import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { GRAPHIQL_FRAMES, GRAPHIQL_TEXTS } from '../../gateway/web/page/language/graphiql-words.js';
import { leaves } from '../web/support.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const page = new URL('../../gateway/web/page/', import.meta.url);

/** The English texts of all catalogues, without those that are French words too. */
const ENGLISH: ReadonlySet<string> = new Set([...Object.keys(GRAPHIQL_TEXTS), ...(await catalogueTexts())]);

async function catalogueTexts(): Promise<string[]> {
  const files = readdirSync(page, { recursive: true, encoding: 'utf8' }).filter((file) => /\btexts\.ts$/.test(file));
  const modules = await Promise.all(files.map((file) => import(`${page}${file}`)));
  const texts = modules.flatMap((module) => Object.values(module).filter((one) => typeof one === 'object'));
  const [english, french] = (['en', 'fr'] as const).map((language) =>
    texts.flatMap((text) => Object.values(leaves((text as Record<string, unknown>)[language]))),
  );
  return (english ?? []).filter((text) => !text.includes('=>') && !french?.includes(text));
}

/** Parts whose texts are data, code, or the schema's. */
const DATA =
  'code, pre, option, .monaco-editor, .pa-rows, .pa-counted, .pa-chip, .graphiql-tab-button, .docExplorerWrap, .graphiql-doc-explorer-type-name, [lang=en]';

const used = openedAnalyst('#example=missions-near-a-commune');

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
    const isFramed = (text: string) =>
      GRAPHIQL_FRAMES.some(([[before, after]]) => text.startsWith(before) && text.endsWith(after));
    return said.filter((text) => ENGLISH.has(text) || isFramed(text) || /^(Show|Hide|Open) /.test(text));
  };

  beforeAll(async () => {
    await button('Français').click();
    await used.analyst.run();
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
    'la recherche d’un champ',
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

  test('turns to English and back, the editor’s own texts too', async () => {
    await button('English').click();
    await eventually(() => button('Show History').count()).toBe(1);
    expect(await used.analyst.page.title()).toBe('Passerelle: query the graph');
    await button('Français').click();
    await eventually(() => button('Montrer l’historique').count()).toBe(1);
  });

  testThatNothingWasBroken(used);
});
