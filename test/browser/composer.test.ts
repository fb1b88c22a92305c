import { beforeAll, describe, expect, test } from 'vitest';
import { distanceKm, type Position } from '../../subgraphs/codes/places.js';
import { IS_LONG } from '../runs.js';
import { drawnRows } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const used = openedAnalyst('#example=missions-near-a-commune');

interface Placed {
  readonly location?: Position | null;
}

const focused = (what: string) =>
  used.analyst.page.evaluate(`String(${what.replaceAll('it', 'document.activeElement')} ?? '')`);
const key = (name: string) => used.analyst.page.keyboard.press(name);
const query = () => used.analyst.page.textContent('.graphiql-query-editor .view-lines');

/** Presses a key until what has the focus is so. */
async function until(pressed: string, what: string, wanted: RegExp): Promise<void> {
  for (let presses = 0; presses < 200; presses += 1) {
    if (wanted.test(String(await focused(what)))) return;
    await key(pressed);
  }
  throw new Error(`${pressed} never led to ${wanted}.`);
}

/** Goes by an arrow key to the field or criterion of this name. */
const to = (name: string, arrow = 'ArrowDown') =>
  until(arrow, `it.closest('label')?.querySelector('code')?.innerText`, new RegExp(`^${name}$`));

describe('A query composed by the keyboard alone', () => {
  const radius = 10;
  beforeAll(() => used.analyst.page.evaluate('document.activeElement.blur()'));

  test('asks for the missions around Rouen, from nothing', async () => {
    await until('Tab', 'it.ariaLabel', /^Show Composer$/);
    await key('Enter');
    await until('Tab', 'it.innerText', /^New$/);
    await key('Enter');
    await eventually(query).toBe('');
    // The search keeps its words while the page is open.
    await until('Tab', 'it.type', /^search$/);
    await key('Control+A');
    await key('Delete');
    await until('Tab', 'it.type', /^checkbox$/);
    await to('commune');
    await key('Space');
    await eventually(query).toMatch(/commune\(insee:.\$insee\)/);
    // A required argument is ticked already, with its picker.
    await to('insee');
    await key('Tab');
    await used.analyst.page.keyboard.type('Rouen');
    await used.analyst.page.locator('.pa-composer [role=option]').first().waitFor();
    await key('Enter');
    await until('Tab', 'it.type', /^checkbox$/);
    await to('missions');
    await key('Space');
    await until('ArrowDown', 'it.innerText', /criteria of /);
    await key('ArrowRight');
    await to('radius');
    await key('Space');
    await key('Tab');
    await used.analyst.page.keyboard.type(String(radius));
    await until('Tab', 'it.type', /^checkbox$/);
    await to('first');
    await key('Space');
    await key('Tab');
    await used.analyst.page.keyboard.type('1000');
    await until('Tab', 'it.type', /^checkbox$/);
    await to('distance');
    await key('Space');
    await eventually(query).toMatch(/pageInfo.*title.*distance/s);
    await eventually(() => used.analyst.page.textContent('.graphiql-editor-tool .view-lines')).toMatch(
      /76540.*10.*1000/s,
    );
  });

  test('runs, and its rows are the sandbox’s own', async () => {
    await key('Control+Enter');
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200/);
    const rows = await drawnRows(used.analyst.page);
    const { data } = await used.stack.send('{ commune(insee: "76540") { localisation { centre { coordinates } } } }');
    const [lon, lat] = data.commune.localisation.centre.coordinates;
    const isNear = ({ location }: Placed): boolean => location != null && distanceKm({ lon, lat }, location) <= radius;
    const near = used.stack.sandbox.world.missions.filter(
      ({ addresses, statusCode, deletedAt }) =>
        statusCode === 'ACCEPTED' && (deletedAt ?? null) === null && (addresses as Placed[]).some(isNear),
    );
    const titles = near.map(({ title }) => title).sort();
    expect(titles.length).toBeGreaterThan(5);
    expect(rows.map(([title]) => title).sort()).toEqual(titles);
    expect(await used.analyst.brokenRules('.graphiql-plugin')).toEqual([]);
  });

  test.runIf(IS_LONG)(
    'loses what is unticked, with its variable and its value, and the editor undoes that',
    async () => {
      await to('radius', 'ArrowUp');
      await key('Space');
      await eventually(query).not.toContain('radius');
      expect(await used.analyst.page.textContent('.graphiql-editor-tool .view-lines')).not.toContain('radius');
      await used.analyst.page.focus('.graphiql-query-editor textarea');
      await key('Control+Z');
      await eventually(query).toContain('radius');
    },
  );
});

test.runIf(IS_LONG)('A field is found in French, with every way to it, and ticked where it is found', async () => {
  const { page } = used.analyst;
  await used.analyst.write('{ missions { nodes { title } } }');
  await page.getByRole('button', { name: 'Français' }).click();
  await page.getByLabel('Trouver un champ').fill('code postal');
  const found = page.locator('.pa-found > li', { hasText: 'Mission.postalCode' });
  await found.getByRole('checkbox', { name: 'missions.nodes.postalCode', exact: false }).first().check();
  await eventually(query).toMatch(/title.*postalCode/s);
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByLabel('Find a field').fill('SIRET');
  const ways = page.locator('.pa-found > li', { hasText: 'Organization.siret:' }).locator('li');
  const more = ways.getByRole('button', { name: / more paths$/ });
  await more.waitFor();
  const shown = (await ways.count()) - 1;
  const hidden = Number.parseInt((await more.textContent()) ?? '', 10);
  await more.click();
  expect(await ways.count()).toBe(shown + hidden);
  await page.getByLabel('Find a field').fill('');
});

test.runIf(IS_LONG)('The search of questions leads to fields and to the composer, whatever is typed', async () => {
  const { page } = used.analyst;
  await page.getByRole('button', { name: 'Hide Composer' }).click();
  const dialog = page.getByRole('dialog');
  await page.keyboard.press('F4');
  await dialog.getByRole('searchbox').fill('qqzzxx');
  await dialog.getByRole('button', { name: /^Compose a query/ }).waitFor();
  await eventually(() => dialog.getByRole('button', { name: /Missions/ }).count()).toBeGreaterThan(0);
  await dialog.getByRole('searchbox').fill('numéro RNA');
  await dialog.getByRole('button', { name: /Organization\.rna\b/ }).click();
  await page.locator('.pa-found').waitFor();
  await eventually(() => page.evaluate('document.activeElement.dataset.search')).toBe('fields');
  expect(await page.locator('.pa-found > li').first().textContent()).toMatch(/RNA/);
  await page.getByLabel('Find a field').fill('');
});

testThatNothingWasBroken(used);
