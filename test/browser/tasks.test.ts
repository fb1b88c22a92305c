import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { POLLING } from '../polling.js';
import { IS_LONG } from '../runs.js';
import { parseCsv } from '../web/support.js';
import { READERS } from '../web/workbook-readers.js';
import { type Browsing, browsing, eventually } from './browsing.js';
import { downloaded } from './download.js';
import { englishOn } from './english.js';

/** What analysts ask for, as docs/analysts.md says: without a word of GraphQL, each in so many actions. */
const MOST_ACTIONS = 6;

const ROUEN = '76540';
const GRENOBLE = '38185';
const PARIS = '75056';

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
  expect(await page.locator('.graphiql-editors').isVisible()).toBe(false);
  expect(await englishOn(page)).toEqual([]);
  expect(offences.splice(0)).toEqual([]);
});

/** Counts one action: a click, a choice, or words that are typed with the Enter that ends them. */
async function act(action: () => Promise<unknown>): Promise<void> {
  actions += 1;
  await action();
}

const click = (name: string | RegExp) => act(() => page.getByRole('button', { name }).click());

/** Two actions: opens the examples, types words with Enter, which chooses the first question; it runs by itself. */
async function ask(words: string, question: RegExp): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(`${used.stack.url}/graphiql`);
  await click('Exemples');
  await act(async () => {
    await page.getByRole('dialog').getByRole('searchbox').pressSequentially(words);
    await page.keyboard.press('Enter');
  });
  await eventually(() => page.locator('h1').textContent()).toMatch(question);
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

/** The associations with a seat in a département that have offers, with how many: at most ten, as the question asks. */
async function offersOfAssociations(department: string): Promise<ReadonlyMap<string, number>> {
  const associations: Rows = [];
  for (let skip = 0, isLast = false; !isLast; skip += 100) {
    const page = await rest('volunteering', `/v0/organization?limit=100&skip=${skip}`);
    associations.push(...page);
    isLast = page.length === 0;
  }
  const { url } = (await rest('workStudy', '/job/v1/export')) as unknown as { url: string };
  const offers = ((await (await fetch(url)).json()) as Rows).filter(
    ({ identifier }) => identifier.partner_label !== 'recruteurs_lba',
  );
  const ofSiret = tallied(offers.map(({ workplace }) => workplace.siret));
  const found = associations
    .filter(({ addressDepartmentCode }) => addressDepartmentCode === department)
    .map(({ title, siret, sirets }) => {
      const own: string[] = [...new Set([siret, ...sirets])].filter((one) => /^\d{14}$/.test(one ?? ''));
      return [title, own.reduce((sum, one) => sum + (ofSiret.get(one) ?? 0), 0)] as const;
    });
  return new Map(found.filter(([, offers]) => offers > 0).map(([title, offers]) => [title, Math.min(10, offers)]));
}

describe('An analyst finds out, in at most six actions:', () => {
  test('missions around a town, from the home page', async () => {
    await page.goto(used.stack.url);
    await act(() => page.locator('a[href="/graphiql#example=missions-near-a-commune"]').click());
    await eventually(() => page.locator('h1').textContent()).toMatch(/^Missions autour d’une commune/);
    let sent = 0;
    page.on('request', (request) => {
      const isDryRun = request.headers()['x-passerelle-dry-run'] === '1';
      if (!isDryRun && request.postData()?.includes('query MissionsNearACommune')) sent += 1;
    });
    await click('Lancer');
    await act(() => page.locator('#pa-tab-Table').click());
    const right = await missionsAround(await centreOf(ROUEN), 10);
    expect((await table()).map((row) => row['Titre']).toSorted()).toEqual(right.map(({ title }) => title).toSorted());
    expect(await sentence()).toMatch(
      new RegExp(`^${right.length} missions à moins de 10\u202fkm de Rouen · liste complète · données du `),
    );
    expect(sent).toBe(1);
    await act(() => page.locator('#pa-tab-Map').click());
    await eventually(() => page.locator('.pa-note').textContent()).toMatch(new RegExp(`^${right.length} points`));
  });

  test.runIf(IS_LONG)('missions per domain around a town, as a chart and for Excel', async () => {
    await ask('missions par domaine autour de Rouen', /^Combien de missions de chaque domaine/);
    let book: Buffer = Buffer.alloc(0);
    await act(async () => {
      book = (await downloaded(page, 'Répartition: Excel')).bytes;
    });
    let chart = '';
    await act(async () => {
      chart = (await downloaded(page, 'SVG')).bytes.toString('utf8');
    });
    const [[, ...rows] = []] = (await READERS[0]?.sheetsOf(book)) ?? [];
    const counts = rows.map((cells) => Number(cells.at(-1)));
    const expected = tallied((await missionsAround(await centreOf(ROUEN), 30)).map(({ domain }) => domain));
    expect(counts.toSorted()).toEqual([...expected.values()].toSorted());
    for (const [label] of rows) expect(chart).toContain(`>${String(label).slice(0, 30)}`);
  });

  test('associations of a département with offers, as CSV for a French Excel', async () => {
    await ask('associations du 93 avec des offres', /^Organisations d’un département/);
    await click('Toutes les pages');
    await click('Commencer');
    await eventually(sentence).toContain('liste complète');
    await act(() => page.getByText('Exporter', { exact: true }).click());
    let csv = '';
    await act(async () => {
      csv = (await downloaded(page, 'CSV (Excel français)')).bytes.toString('utf8');
    });
    const [head = [], ...rows] = parseCsv(csv.replace('\ufeff', ''), ';');
    const place = head.indexOf('organizations/title');
    expect(rows.filter(([cell]) => cell?.startsWith('#'))).toEqual([]);
    expect(tallied(rows.map((cells) => cells[place] ?? ''))).toEqual(await offersOfAssociations('93'));
  });

  test.runIf(IS_LONG)('active certifications of a level and a trade, and who teaches them', async () => {
    await ask('certifications actives CAP boulangerie', /^Certifications d’un niveau/);
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
    await ask('qui enseigne la boulangerie autour de Paris', /^Qui enseigne/);
    const teachers = await table();
    const { lat, lon } = await centreOf(PARIS);
    const courses = await rest(
      'workStudy',
      `/formation/v1/search?latitude=${lat}&longitude=${lon}&radius=50&romes=D1102&page_size=1000`,
    );
    const sirets = new Set(courses.map(({ formateur }) => formateur.organisme.identifiant.siret));
    expect(new Set(teachers.map((row) => row['SIRET']))).toEqual(sirets);
    expect(teachers.every((row) => (row['Nom'] ?? '').length > 3)).toBe(true);
  });

  test.runIf(IS_LONG)('missions and workplaces around a town, on one map', async () => {
    await ask('missions et lieux de travail autour de Rouen', /^Missions et lieux de travail/);
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

  test('a question saved, found, asked of another town, shared, and fetched again by a spreadsheet', async () => {
    await page.goto(`${used.stack.url}/graphiql#example=missions-near-a-commune`);
    await click('Montrer les requêtes enregistrées');
    await click('Enregistrer cette requête');
    await act(() => page.locator('.pa-saved-name', { hasText: 'Missions autour d’une commune' }).click());
    const town = page.getByRole('combobox', { name: /Commune/ });
    await act(async () => {
      await town.fill('Grenoble');
      await eventually(() => page.getByRole('option').first().textContent()).toContain('Grenoble');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
    });
    await eventually(sentence).toContain('Grenoble');
    await act(() => page.getByText('Partager', { exact: true }).click());
    await click('Copier le lien de données');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const rows = async () => parseCsv(await (await fetch(link)).text()).length - 1;
    const right = (await missionsAround(await centreOf(GRENOBLE), 10)).length;
    expect([await rows(), await rows()]).toEqual([right, right]);
    expect(await sentence()).toMatch(new RegExp(`^${right} missions à moins de 10\u202fkm de Grenoble`));
  });

  test.runIf(IS_LONG)('recent missions that can be done remotely and are open to minors, to be read', async () => {
    await ask('missions à distance récentes ouvertes aux mineurs', /^Missions récentes à distance/);
    const yearAgo = new Date();
    yearAgo.setUTCFullYear(yearAgo.getUTCFullYear() - 1);
    const since = yearAgo.toISOString().slice(0, 'yyyy-mm-dd'.length);
    const right = await rest(
      'volunteering',
      `/v0/mission?remote=full,possible&openToMinors=yes&createdAt=gt:${since}&limit=10000`,
    );
    await eventually(sentence).toContain(`une page d’une liste de ${right.length}`);
    await act(() => page.locator('.pa-table tbody tr[aria-rowindex] td').first().click());
    const panel = (await page.locator('.pa-row-panel').textContent()) ?? '';
    expect(panel).toMatch(/Ouverte aux mineursoui/);
    expect(panel).not.toMatch(/<\/?[a-z]+>/);
  });
});
