import { describe, expect, test } from 'vitest';
import { parseCsv } from '../web/support.js';
import { eventually } from './browsing.js';
import {
  act,
  ask,
  asksAsAnAnalyst,
  bars,
  centreOf,
  click,
  exportedOffers,
  file,
  missionsAround,
  offersOfAssociations,
  page,
  type Rows,
  rest,
  sentence,
  table,
  tallied,
  used,
} from './tasks.js';

const [ROUEN, GRENOBLE] = ['76540', '38185'];
const BRETAGNE = ['22', '29', '35', '56'];

/** The first and last day of the next month. */
function nextMonth(): { readonly from: string; readonly to: string } {
  const today = new Date();
  const day = (month: number, date: number): string =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + month, date)).toISOString().slice(0, 10);
  return { from: day(1, 1), to: day(2, 0) };
}

asksAsAnAnalyst();

describe('An analyst finds out, in at most six actions:', () => {
  test('missions around a town, from the home page', async () => {
    await page.goto(used.stack.url);
    await act(() => page.locator('a[href*="place=commune:76540"]').click());
    const right = await missionsAround(await centreOf(ROUEN), 10);
    await eventually(() => page.locator('.pa-note').textContent()).toMatch(new RegExp(`^${right.length} points`));
    await act(() => page.locator('#pa-tab-Table').click());
    await eventually(sentence).toMatch(new RegExp(`^${right.length} missions · liste complète · données du `));
    expect((await table()).map((row) => row['Titre']).toSorted()).toEqual(right.map(({ title }) => title).toSorted());
  });

  test('associations of a département with offers, as a file', async () => {
    await ask('associations du 93 avec des offres', /^Associations/);
    await click('Toutes les pages');
    await click('Commencer');
    await eventually(sentence).toContain('liste complète');
    const [head = [], ...rows] = parseCsv((await file('CSV')).bytes.toString('utf8').replace('\ufeff', ''));
    const place = head.findIndex((name) => /^Nom$|^Association$|^Titre$/.test(name));
    expect(rows.filter(([cell]) => cell?.startsWith('#'))).toEqual([]);
    const offers = await offersOfAssociations('93');
    expect(rows.map((cells) => cells[place]).toSorted()).toEqual([...offers.keys()].toSorted());
  });

  test('a question kept, found, asked of another town, shared, and fetched again by a spreadsheet', async () => {
    await ask('missions autour de Rouen', /Rouen/);
    await click('Questions');
    await act(() => page.getByRole('button', { name: 'Garder' }).first().click());
    await page.keyboard.press('Escape');
    await ask('missions à 10 km de Grenoble', /Grenoble/);
    await act(() => page.locator('.pa-pane summary', { hasText: 'Partager' }).click());
    await click('Copier le lien de données');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const rows = async () => parseCsv(await (await fetch(link)).text()).length - 1;
    const right = (await missionsAround(await centreOf(GRENOBLE), 10)).length;
    expect([await rows(), await rows()]).toEqual([right, right]);
    expect(await sentence()).toMatch(new RegExp(`^${right} missions`));
  });

  test('missions for minors by département', async () => {
    await ask('combien de missions pour mineurs par département', /^Missions par département/);
    const all = await rest('volunteering', '/v0/mission?openToMinors=yes&limit=10000');
    const right = tallied(
      all.flatMap(({ addresses }) => [
        ...new Set<string>(addresses.map(({ departmentName }: Rows[number]) => departmentName).filter(Boolean)),
      ]),
    );
    const counted = await bars();
    for (const name of ['Paris', 'Rhône', 'Gironde'])
      expect([name, counted.get(name)]).toEqual([name, right.get(name)]);
  });

  test('missions that start next month in a région, on a map', async () => {
    await ask('missions qui commencent le mois prochain en Bretagne sur une carte', /^Missions/);
    expect(await page.getAttribute('#pa-tab-Map', 'aria-selected')).toBe('true');
    const { from, to } = nextMonth();
    const all = await rest('volunteering', '/v0/mission?limit=10000');
    const found = all.filter(({ addresses }) =>
      addresses.some(({ departmentCode }: Rows[number]) => BRETAGNE.includes(departmentCode)),
    );
    const dayOf = (at: string): string => new Date(at).toLocaleDateString('sv', { timeZone: 'Europe/Paris' });
    const right = found.filter(({ startAt }) => startAt && dayOf(startAt) >= from && dayOf(startAt) <= to);
    await eventually(sentence).toMatch(new RegExp(`^${right.length} missions?`));
  });

  test('37 pasted SIRETs, of which wrong ones are marked', async () => {
    const all = (await exportedOffers()).map(({ workplace }): string => workplace.siret);
    const own = [...new Set(all.filter((siret) => /^\d{14}$/.test(siret ?? '')))].slice(0, 36);
    const separators = ['\n', '\t', ', ', '; ', ' '];
    const pasted = [...own, '12345'].map((siret, at) => `${siret}${separators[at % separators.length]}`).join('');
    await page.goto(`${used.stack.url}/graphiql#ask=offers`);
    await page.reload();
    await act(() =>
      page
        .getByLabel('Ajouter un critère')
        .selectOption({ label: 'SIRET' })
        .then(() => {}),
    );
    await eventually(() => page.evaluate("document.activeElement.closest('.pa-criterion') !== null")).toBe(true);
    await act(async () => {
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`);
      await page.keyboard.press('Control+V');
    });
    await eventually(() => page.locator('.pa-criterion').textContent()).toContain('12345');
    await act(() => page.keyboard.press('Control+Enter'));
    const right = (await exportedOffers()).filter(({ workplace }) => own.includes(workplace.siret));
    await eventually(sentence).toMatch(new RegExp(`^${right.length} offres`));
  });

  test('missions by month', async () => {
    await ask('missions par mois', /^Missions par mois/);
    const all = await rest('volunteering', '/v0/mission?limit=10000');
    const dayOf = (at: string): string => new Date(at).toLocaleDateString('sv', { timeZone: 'Europe/Paris' });
    const right = tallied(all.flatMap(({ startAt }) => (startAt ? dayOf(startAt).slice(0, 7) : [])));
    const months = [...(await bars())].filter(([name]) => /^\d{4}-\d\d$/.test(name));
    expect(months).toEqual([...right].toSorted());
  });
});
