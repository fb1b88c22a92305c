import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { POLLING } from '../polling.js';
import { IS_LONG } from '../runs.js';
import { type Area, type Asked, scan } from '../truth/support/export-scan.js';
import { parseCsv } from '../web/support.js';
import { READERS } from '../web/workbook-readers.js';
import { type Browsing, browsing, eventually } from './browsing.js';
import { downloaded } from './download.js';
import { englishOn } from './english.js';

/** What analysts ask for: without a word of GraphQL, each in so many actions. */
const MOST_ACTIONS = 6;

const [ROUEN, GRENOBLE, PARIS, RENNES] = ['76540', '38185', '75056', '35238'];

let used: Browsing;
/** One for all: each question is asked where the one before it was answered. */
let page: Page;
let actions: number;
const offences: string[] = [];

beforeAll(async () => {
  used = await browsing();
  const context = await used.chromium.freshContext({ locale: 'fr', viewport: { width: 1440, height: 900 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  page = await context.newPage();
  page.setDefaultTimeout(POLLING.timeout);
  page.on('pageerror', ({ message }) => offences.push(message));
});
afterAll(() => page.context().close());

beforeEach(() => {
  actions = 0;
});

afterEach(async () => {
  expect(actions).toBeLessThanOrEqual(MOST_ACTIONS);
  expect(await page.locator('.pa-code').count()).toBe(0);
  expect(await englishOn(page)).toEqual([]);
  expect(offences.splice(0)).toEqual([]);
});

/** Counts one action: a click, a choice, or words that are typed with the Enter that ends them. */
async function act(action: () => Promise<unknown>): Promise<void> {
  actions += 1;
  await action();
}

const click = (name: string | RegExp) => act(() => page.getByRole('button', { name }).click());

/** One action: types words with the Enter that runs the question, whose title is then this. */
async function ask(words: string, question: RegExp): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(`${used.stack.url}/graphiql`);
  await act(async () => {
    await page.getByRole('searchbox', { name: 'Demander en mots' }).fill(words);
    await page.keyboard.press('Enter');
  });
  await eventually(() => page.locator('h1').textContent()).toMatch(question);
  await page.locator('.pa-body[aria-busy=false]').waitFor();
}

/** Two actions: opens the menu of files and takes one. */
async function file(format: string): Promise<{ name: string; bytes: Buffer }> {
  await act(() => page.locator('.pa-pane summary', { hasText: 'Exporter' }).click());
  actions += 1;
  return downloaded(page, format);
}

/** The bars that are drawn, by name. */
async function bars(): Promise<ReadonlyMap<string, number>> {
  await page.waitForSelector('.pa-count-table tbody tr');
  const cells = await page.$$eval('.pa-count-table tbody tr', (rows) =>
    rows.map((row) => [...row.querySelectorAll('td')].slice(0, 2).map((cell) => cell.textContent ?? '')),
  );
  return new Map(cells.map(([name = '', count = '']) => [name, Number(count.replaceAll(/\s/g, ''))]));
}

const sentence = async () => (await page.locator('.pa-sentence').textContent())?.trim();

/** The cells of the table in front, by the titles of its columns. */
async function table(): Promise<Record<string, string>[]> {
  await page.waitForSelector('.pa-table tbody tr[aria-rowindex]');
  const titles = await page.$$eval('.pa-table thead th', (all) =>
    all.map((one) => (one as HTMLElement).innerText.trim()),
  );
  const rows = await page.$$eval('.pa-table tbody tr[aria-rowindex]', (all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
  );
  return rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [titles[at] ?? '', cell])));
}

// biome-ignore lint/suspicious/noExplicitAny: lists of services whose shapes each task reads a part of
type Rows = any[];

/** What a service of the sandbox answers at its own address, to the key that the product has. */
async function rest(service: 'volunteering' | 'workStudy', path: string): Promise<Rows> {
  const { sandbox } = used.stack;
  const key = sandbox.keys[service].operator;
  const headers = service === 'volunteering' ? { apikey: key } : { authorization: `Bearer ${key}` };
  const response = await fetch(`${sandbox[service].url}${path}`, { headers });
  const body = await response.json();
  return body.data ?? body;
}

interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** The centre of a commune. */
async function centreOf(insee: string): Promise<Point> {
  const found = await rest('workStudy', `/geographie/v1/commune/search?code=${insee}`);
  const [lon, lat] = found.find(({ code }) => code.insee === insee).localisation.centre.coordinates;
  return { lat, lon };
}

/** The missions with an address within a true distance of a point, in kilometres. */
async function missionsAround(centre: Point, kilometres: number): Promise<Rows> {
  const { lat, lon } = centre;
  const all = await rest('volunteering', `/v0/mission?lat=${lat}&lon=${lon}&distance=${kilometres + 10}km&limit=10000`);
  return all.filter(({ addresses }) =>
    addresses.some(({ location }: Rows[number]) => location && distance(location, centre) <= kilometres),
  );
}

function distance(one: Point, other: Point): number {
  const [a, b, turn] = [one.lat, other.lat, other.lon - one.lon].map((degrees) => (degrees * Math.PI) / 180) as [
    number,
    number,
    number,
  ];
  return 6371 * Math.acos(Math.min(1, Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(turn)));
}

/** How often each value occurs. */
function tallied(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** All rows of a list of the volunteering service that is read by `skip`. */
async function everyRow(path: string): Promise<Rows> {
  const all: Rows = [];
  for (;;) {
    const page = await rest('volunteering', `${path}${path.includes('?') ? '&' : '?'}limit=100&skip=${all.length}`);
    all.push(...page);
    if (page.length === 0) return all;
  }
}

let rowsOfExport: readonly Json[] | undefined;

/** The offers of the daily export that a scan finds. The service lets it be asked for twice a minute. */
async function exportedOffers(args: Asked['args'] = {}): Promise<Rows> {
  if (rowsOfExport === undefined) {
    const { url } = (await rest('workStudy', '/job/v1/export')) as unknown as { url: string };
    rowsOfExport = (await (await fetch(url)).json()) as Json[];
  }
  return scan(rowsOfExport, { of: 'exportedOffers', args }, AREAS, Date.now()).map(({ row }) => row);
}

const AREAS: readonly Area[] = createRequire(import.meta.url)('@etalab/decoupage-administratif/data/departements.json');

/** The associations, of a département or of all, that have offers, with how many: at most ten, as the question asks. */
async function offersOfAssociations(department: string | null): Promise<ReadonlyMap<string, number>> {
  const ofSiret = tallied((await exportedOffers()).map(({ workplace }) => workplace.siret));
  const found = (await everyRow('/v0/organization'))
    .filter(({ addressDepartmentCode }) => department === null || addressDepartmentCode === department)
    .map(({ title, siret, sirets }) => {
      const own: string[] = [...new Set([siret, ...sirets])].filter((one) => /^\d{14}$/.test(one ?? ''));
      return [title, own.reduce((sum, one) => sum + (ofSiret.get(one) ?? 0), 0)] as const;
    });
  return new Map(found.filter(([, offers]) => offers > 0).map(([title, offers]) => [title, Math.min(10, offers)]));
}

/** The first and last day of the next month. */
function nextMonth(): { readonly from: string; readonly to: string } {
  const today = new Date();
  const day = (month: number, date: number): string =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + month, date)).toISOString().slice(0, 10);
  return { from: day(1, 1), to: day(2, 0) };
}

const BRETAGNE = ['22', '29', '35', '56'];

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

  test.runIf(IS_LONG)('missions per domain around a town, as a chart and for Excel', async () => {
    await ask('missions par domaine autour de Rouen', /^Missions par domaine/);
    const { bytes: book } = await file('Excel');
    const { bytes: chart } = await file('SVG');
    const [[, ...rows] = []] = (await READERS[0]?.sheetsOf(book)) ?? [];
    const expected = tallied((await missionsAround(await centreOf(ROUEN), 20)).map(({ domain }) => domain));
    expect(rows.map((cells) => Number(cells[1])).toSorted()).toEqual([...expected.values()].toSorted());
    for (const [label] of rows) expect(chart.toString('utf8')).toContain(`>${String(label).slice(0, 30)}`);
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

  test.runIf(IS_LONG)('active certifications of a level and a trade, and who teaches them', async () => {
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

  test.runIf(IS_LONG)('missions and workplaces around a town, on one map', async () => {
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

  test.runIf(IS_LONG)('recent missions that can be done remotely and are open to minors, to be read', async () => {
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

  test.runIf(IS_LONG)('offers in two of those départements', async () => {
    await ask('offres dans le 35 et le 22', /^Offres/);
    const right = await exportedOffers({ department: ['35', '22'] });
    await eventually(sentence).toMatch(new RegExp(`^${right.length} offres`));
  });

  test.runIf(IS_LONG)('associations with a SIRET that recruit apprentices', async () => {
    await ask('associations avec un SIRET qui recrutent des apprentis', /^Associations/);
    const right = await offersOfAssociations(null);
    await eventually(sentence).toContain('associations');
    // Of the first page, which says that it is one.
    const titles = (await table()).map((row) => row['Titre'] ?? row['Nom'] ?? '');
    expect(titles.length).toBeGreaterThan(20);
    expect(titles.filter((title) => !right.has(title))).toEqual([]);
  });

  test.runIf(IS_LONG)('offers of a trade within 30 km of a town, as a file', async () => {
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

  test.runIf(IS_LONG)('two trades by level', async () => {
    await ask('offres de boulanger et de pâtissier par niveau', /^Offres par niveau/);
    const right = await exportedOffers({ rome: ['D1102', 'D1104'] });
    const sum = [...(await bars()).values()].reduce((total, count) => total + count, 0);
    expect(sum).toBe(right.length);
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

  test.runIf(IS_LONG)('missions locales of a région, with their commune', async () => {
    await ask('missions locales de Bretagne', /^Missions locales/);
    const all = await rest('workStudy', '/geographie/v1/mission-locale');
    const right = all.filter(({ localisation }) => BRETAGNE.includes(localisation.cp.slice(0, 2)));
    await eventually(async () => (await table()).length).toBe(right.length);
    expect((await table()).map((row) => row['Commune'] ?? row['Ville']).toSorted()).toEqual(
      right.map(({ localisation }) => localisation.ville).toSorted(),
    );
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
