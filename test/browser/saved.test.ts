import { beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { downloaded } from './download.js';

const used = openedAnalyst('#example=missions-of-a-department');

describe.runIf(IS_LONG)('Saved queries', () => {
  const panel = () => used.analyst.page.locator('.pa-saved');
  const names = () => panel().locator('.pa-saved-name').allTextContents();
  const button = (name: string | RegExp) => panel().getByRole('button', { name });
  const said = () => panel().getByRole('status').first().textContent();
  const active = () => used.analyst.page.textContent('.graphiql-tab-active');
  const proposed = () => panel().getByRole('textbox', { name: 'Name' }).inputValue();
  const choose = (name: string, text: string) =>
    panel()
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });

  beforeAll(async () => {
    await used.analyst.page.locator('.pa-variables').getByLabel('Rows per page').fill('7');
    await used.analyst.run();
    await used.analyst.view('Counts');
    await used.analyst.page.getByRole('button', { name: 'Show Saved queries' }).click();
  });

  test('are named, in folders, and proposed under the name of the operation', async () => {
    await eventually(proposed).toBe('MissionsOfADepartment');
    await panel().getByRole('textbox', { name: 'Name' }).fill('Missions du 93');
    await panel().getByRole('combobox', { name: 'Folder' }).fill('Bénévolat');
    await button('Save this query').click();
    await eventually(said).toContain('Saved: Missions du 93');
    expect(await names()).toEqual(['Missions du 93']);
    expect(await panel().locator('summary').textContent()).toBe('Bénévolat (1)');
    await used.analyst.write('query A { communes(code: "27620") { nom } } query B { regions { nom } }');
    // GraphiQL notices the operation's name a little later: the proposal would then be mixed into a name being typed.
    await eventually(proposed).toBe('A');
    await panel().getByRole('textbox', { name: 'Name' }).fill('Zones');
    await panel().getByRole('combobox', { name: 'Folder' }).fill('');
    await button('Save this query').click();
    await eventually(names).toEqual(['Zones', 'Missions du 93']);
  });

  test('open as they were, in their own tab, with the values of the form and the view, and do not run', async () => {
    const { page } = used.analyst;
    await button('Missions du 93').first().click();
    await eventually(active).toContain('MissionsOfADepartment');
    await eventually(() => page.locator('.pa-variables').getByLabel('Rows per page').inputValue()).toBe('7');
    expect(await page.getAttribute('#pa-tab-Counts', 'aria-selected')).toBe('true');
    expect(await used.analyst.status()).toBe('');
    const tabs = await page.locator('.graphiql-tab').count();
    await button('Zones').first().click();
    await button('Missions du 93').first().click();
    await eventually(active).toContain('MissionsOfADepartment');
    expect(await page.locator('.graphiql-tab').count()).toBe(tabs);
  });

  test('are found by a word of their name, folder or query', async () => {
    const search = panel().getByRole('searchbox');
    await search.fill('benevolat');
    await eventually(names).toEqual(['Missions du 93']);
    await search.fill('regions');
    await eventually(names).toEqual(['Zones']);
    await search.fill('nothing of the kind');
    await eventually(() => panel().textContent()).toContain('No saved query matches.');
    await search.fill('');
  });

  test('are renamed, moved, replaced and deleted, and what was lost can be put back', async () => {
    await button('Edit Zones').click();
    const form = panel().getByRole('form', { name: /Zones/ });
    await form.getByLabel('Name').fill('Régions');
    await form.getByLabel('Folder').fill('Bénévolat');
    await form.getByRole('button', { name: 'Change' }).click();
    await eventually(names).toEqual(['Missions du 93', 'Régions']);
    await button('Rename folder').click();
    await panel().locator('details').getByLabel('Folder').fill('Cartes');
    await button('Change').click();
    await eventually(() => panel().locator('summary').textContent()).toBe('Cartes (2)');
    await button('Delete Régions').click();
    await eventually(names).toEqual(['Missions du 93']);
    await button('Undo').click();
    await eventually(names).toEqual(['Missions du 93', 'Régions']);
    await button('Delete folder').click();
    await eventually(said).toContain('Deleted: 2 queries');
    await button('Undo').click();
    await eventually(names).toEqual(['Missions du 93', 'Régions']);
  });

  test('keep the focus in their panel by keyboard, near what was pressed', async () => {
    const { page } = used.analyst;
    const press = async (name: string): Promise<void> => {
      await button(name).first().focus();
      await page.keyboard.press('Enter');
    };
    const focused = () =>
      page.evaluate(`(({ activeElement: one }) => one.getAttribute('aria-label') ?? one.innerText)(document)`);
    const write = async (label: string, text: string): Promise<void> => {
      await panel().locator('li form, details form').getByLabel(label).fill(text);
      await page.keyboard.press('Enter');
    };
    await press('Edit Régions');
    await press('Cancel');
    expect(await focused()).toBe('Edit Régions');
    await press('Edit Régions');
    await write('Name', 'Zones');
    await eventually(focused).toBe('Zones');
    await press('Edit Zones');
    await write('Name', 'Régions');
    await press('Rename folder');
    await press('Cancel');
    expect(await focused()).toBe('Rename folder');
    await press('Rename folder');
    await write('Folder', 'Listes');
    await eventually(focused).toBe('Missions du 93');
    await press('Delete Missions du 93');
    await eventually(focused).toBe('Régions');
    await press('Undo');
    await eventually(focused).toBe('Missions du 93');
    await press('Delete Régions');
    await eventually(focused).toBe('Missions du 93');
    await press('Undo');
    await eventually(focused).toBe('Régions');
    await press('Delete folder');
    await eventually(focused).toBe('Saved queries');
    await press('Undo');
    await eventually(focused).toBe('Missions du 93');
    await press('Import a file …');
    expect(await focused()).toBe('Import a file …');
  });

  test('go to a file and come from one, which says what was taken and what was not', async () => {
    const { name, bytes } = await downloaded(used.analyst.page, 'Export as a file');
    expect(name).toBe('passerelle-queries.json');
    await button('Delete Régions').click();
    await eventually(names).toEqual(['Missions du 93']);
    await choose(name, bytes.toString());
    await eventually(() => panel().locator('.pa-report').textContent()).toBe(
      'Imported: 1 query RégionsSkipped, as they were here already: 1 Missions du 93',
    );
    expect(await names()).toEqual(['Missions du 93', 'Régions']);
    await choose('other.json', '{"queries":[]}');
    await eventually(() => panel().getByRole('alert').textContent()).toContain('not a file of saved queries');
  });

  test('outlast a reload, as the values of the form do, and hold no key', async () => {
    const { page } = used.analyst;
    await page.reload();
    await eventually(names).toEqual(['Missions du 93', 'Régions']);
    await eventually(() => page.locator('.pa-variables').getByLabel('Rows per page').inputValue()).toBe('7');
    const stored = (await page.evaluate(`localStorage.getItem('passerelle:saved')`)) as string;
    expect(stored).not.toMatch(/key|header|authorization/i);
  });

  test('break no rule of accessibility where one is edited', async () => {
    await button('Edit Régions').click();
    expect(await used.analyst.brokenRules('.graphiql-plugin')).toEqual([]);
    await button('Edit Régions').click();
  });

  testThatNothingWasBroken(used);
});
