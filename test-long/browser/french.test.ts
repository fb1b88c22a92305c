import { describe, expect, test } from 'vitest';
import { editorReady } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';
import { press } from '../../test/browser/download.js';
import { englishOn } from '../../test/browser/english.js';

const used = openedAnalyst('#ask=missions&place=commune:76540~10', { locale: 'fr-FR' });

/** What GraphiQL and its editor say is theirs, in English. */
describe('The page in French', () => {
  const button = (name: string) => used.analyst.page.getByRole('button', { name });
  const english = () => englishOn(used.analyst.page);

  test('is there where the browser speaks it', async () => {
    expect(await used.analyst.page.getAttribute('html', 'lang')).toBe('fr');
    await used.analyst.page.locator('.pa-sentence').waitFor();
  });

  test.each(['Table', 'Counts', 'Map', 'Trace'] as const)('says nothing in English in the view %s', async (view) => {
    await used.analyst.view(view);
    await eventually(english).toEqual([]);
  });

  test.each(['Questions', 'Sources'])('says nothing in English beside %s', async (panel) => {
    await button(panel).click();
    await eventually(() => used.analyst.page.locator('#pa-side').textContent()).not.toBe('');
    await eventually(english).toEqual([]);
    await used.analyst.page.keyboard.press('Escape');
  });

  test('says nothing in English in the panels of the toolbar', async () => {
    await used.analyst.view('Table');
    for (const name of ['Filtrer', 'Colonnes']) {
      await press(used.analyst.page, name);
      await eventually(english).toEqual([]);
    }
    await used.analyst.page.keyboard.press('Escape');
  });

  test('turns to English and back', async () => {
    const { page } = used.analyst;
    await button('English').click();
    await eventually(() => page.locator('.pa-sentence').textContent()).toContain('the whole list');
    await button('Français').click();
    await eventually(() => page.locator('.pa-sentence').textContent()).toContain('liste complète');
  });

  test('says errors in French beside the editors, and what it has said in the language that is chosen then', async () => {
    const { page } = used.analyst;
    await page.evaluate(`location.hash = '#code'`);
    await editorReady(page);
    await used.analyst.run('{ commune(insee: "x") { nom } }');
    await eventually(() => page.locator('.pa-banner li').first().textContent()).toContain('BAD_USER_INPUT. Une valeur');
    await page.route('**/graphql', (route) => route.abort());
    await page.click('.graphiql-execute-button');
    await eventually(() => used.analyst.status()).toContain('Pas de réponse\u202f: la passerelle');
    await page.unroute('**/graphql');
    await button('English').click();
    await eventually(() => used.analyst.status()).toContain('No response: the gateway cannot be reached.');
  });

  test('is left for good by another choice; what was typed stays over a reload too, in the same tab', async () => {
    const { page } = used.analyst;
    const tabs = await page.locator('.graphiql-tab').count();
    await used.analyst.write('query Left { commune(insee: "76540") { nom } }', { typed: 'last' });
    // GraphiQL stores what is typed half a second later.
    await eventually(() => page.evaluate(`localStorage.getItem('graphiql:tabState')`)).toContain('last');
    await page.reload();
    await editorReady(page);
    await eventually(() => page.textContent('.graphiql-tab-active')).toContain('Left');
    await eventually(() => page.textContent('.graphiql-editor-tool .view-lines')).toContain('last');
    expect(await page.locator('.graphiql-tab').count()).toBe(tabs);
    expect(await page.getAttribute('html', 'lang')).toBe('en');
  });

  testThatNothingWasBroken(used);
});
