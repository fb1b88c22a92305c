import { describe, expect, test } from 'vitest';
import { eventually } from '../../test/browser/browsing.js';
import {
  act,
  ask,
  asksAsAnAnalyst,
  bars,
  centreOf,
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
} from '../../test/browser/tasks.js';
import { parseCsv } from '../../test/web/support.js';
import { READERS } from '../../test/web/workbook-readers.js';

const [ROUEN, PARIS, RENNES] = ['76540', '75056', '35238'];
const BRETAGNE = ['22', '29', '35', '56'];

asksAsAnAnalyst();

describe('An analyst finds out, in at most six actions:', () => {
  test('missions per domain around a town, as a chart and for Excel', async () => {
    await ask('missions par domaine autour de Rouen', /^Missions par domaine/);
    const { bytes: book } = await file('Excel');
    const { bytes: chart } = await file('SVG');
    const [[, ...rows] = []] = (await READERS[0]?.sheetsOf(book)) ?? [];
    const expected = tallied((await missionsAround(await centreOf(ROUEN), 20)).map(({ domain }) => domain));
    expect(rows.map((cells) => Number(cells[1])).toSorted()).toEqual([...expected.values()].toSorted());
    for (const [label] of rows) expect(chart.toString('utf8')).toContain(`>${String(label).slice(0, 30)}`);
  });

  test('active certifications of a level and a trade, and who teaches them', async () => {
    await ask('certifications actives CAP boulangerie', /^Certifications/);
    const certifications = await table();
    const all = await rest('workStudy', '/certification/v1');
    const right = all.filter(
      ({ intitule, domaines, periode_validite: { rncp } }) =>
        intitule.niveau.rncp?.europeen === '3' &&
        rncp?.actif &&
        domaines.rome.rncp?.some(({ code }: Rows[number]) => code === 'D1102'),
    );
    expect(certifications.map((row) => row['Code RNCP']).toSorted()).toEqual(
      right.map(({ identifiant }) => identifiant.rncp).toSorted(),
    );
    await ask('qui enseigne la boulangerie autour de Paris', /^Centres de formation/);
    const teachers = await table();
    const { lat, lon } = await centreOf(PARIS);
    const courses = await rest(
      'workStudy',
      `/formation/v1/search?latitude=${lat}&longitude=${lon}&radius=50&romes=D1102&page_size=1000`,
    );
    const sirets = new Set(courses.map(({ formateur }) => formateur.organisme.identifiant.siret));
    expect(new Set(teachers.map((row) => row['SIRET']))).toEqual(sirets);
  });

  test('missions and workplaces around a town, on one map', async () => {
    await ask('missions et lieux de travail autour de Rouen', /^Missions et lieux de travail/);
    await act(() => page.locator('#pa-tab-Map').click());
    const layers = () => page.locator('.pa-layers label').allTextContents();
    const centre = await centreOf(ROUEN);
    const { lat, lon } = centre;
    const found = (await rest('workStudy', `/job/v1/search?latitude=${lat}&longitude=${lon}&radius=20`)) as unknown as {
      jobs: Rows;
      recruiters: Rows;
    };
    await eventually(layers).toEqual([
      expect.stringContaining(`Missions (${(await missionsAround(centre, 20)).length})`),
      expect.stringContaining(
        `Offres (${new Set(found.jobs.map(({ identifier, apply }) => identifier.id ?? apply.url)).size})`,
      ),
      expect.stringContaining(`Recruteurs probables (${found.recruiters.length})`),
    ]);
  });

  test('recent missions that can be done remotely and are open to minors, to be read', async () => {
    await ask('missions à distance ouvertes aux mineurs des 365 derniers jours', /^Missions/);
    const yearAgo = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10);
    const right = await rest(
      'volunteering',
      `/v0/mission?remote=full&openToMinors=yes&createdAt=gt:${yearAgo}&limit=10000`,
    );
    await eventually(sentence).toMatch(new RegExp(`^${right.length} missions`));
    await act(() => page.locator('.pa-table tbody tr[aria-rowindex] td').first().click());
    const panel = (await page.locator('.pa-row-panel').textContent()) ?? '';
    expect(panel).not.toMatch(/<\/?[a-z]+>/);
  });

  test('offers in two of those départements', async () => {
    await ask('offres dans le 35 et le 22', /^Offres/);
    const right = await exportedOffers({ department: ['35', '22'] });
    await eventually(sentence).toMatch(new RegExp(`^${right.length} offres`));
  });

  test('associations with a SIRET that recruit apprentices', async () => {
    await ask('associations avec un SIRET qui recrutent des apprentis', /^Associations/);
    const right = await offersOfAssociations(null);
    await eventually(sentence).toContain('associations');
    // Of the first page, which says that it is one.
    const titles = (await table()).map((row) => row['Titre'] ?? row['Nom'] ?? '');
    expect(titles.length).toBeGreaterThan(20);
    expect(titles.filter((title) => !right.has(title))).toEqual([]);
  });

  test('offers of a trade within 30 km of a town, as a file', async () => {
    await ask('offres d’assistant social à 30 km de Rennes', /^Offres/);
    const { lat, lon } = await centreOf(RENNES);
    const right = await exportedOffers({
      rome: ['K1201'],
      near: { position: { latitude: lat, longitude: lon } },
      radius: 30,
    });
    expect(right.length).toBeGreaterThan(0);
    const rows = parseCsv((await file('CSV')).bytes.toString('utf8').replace('\ufeff', ''));
    const [head = [], ...cells] = rows;
    const titles = cells.map((row) => row[head.findIndex((name) => /^(Titre|Offre)/.test(name))]);
    expect(titles.toSorted()).toEqual(right.map(({ offer }) => offer.title).toSorted());
  });

  test('two trades by level', async () => {
    await ask('offres de boulanger et de pâtissier par niveau', /^Offres par niveau/);
    const right = await exportedOffers({ rome: ['D1102', 'D1104'] });
    const sum = [...(await bars()).values()].reduce((total, count) => total + count, 0);
    expect(sum).toBe(right.length);
  });

  test('missions locales of a région, with their commune', async () => {
    await ask('missions locales de Bretagne', /^Missions locales/);
    const all = await rest('workStudy', '/geographie/v1/mission-locale');
    const right = all.filter(({ localisation }) => BRETAGNE.includes(localisation.cp.slice(0, 2)));
    await eventually(async () => (await table()).length).toBe(right.length);
    expect((await table()).map((row) => row['Commune'] ?? row['Ville']).toSorted()).toEqual(
      right.map(({ localisation }) => localisation.ville).toSorted(),
    );
  });
});
