import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { POLLING } from '../polling.js';
import { type Area, type Asked, scan } from '../truth/support/export-scan.js';
import { type Browsing, browsing, eventually } from './browsing.js';
import { downloaded } from './download.js';
import { englishOn } from './english.js';

/** What analysts ask for: without a word of GraphQL, each in so many actions. */
const MOST_ACTIONS = 6;

/** The product and a browser, once the tests run. */
export let used: Browsing;
/** One for all: each question is asked where the one before it was answered. */
export let page: Page;
let actions: number;
const offences: string[] = [];

/** For the tests of a file: opens the page before them, and checks after each what holds for all. */
export function asksAsAnAnalyst(): void {
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
}

/** Counts one action: a click, a choice, or words that are typed with the Enter that ends them. */
export async function act(action: () => Promise<unknown>): Promise<void> {
  actions += 1;
  await action();
}

export const click = (name: string | RegExp) => act(() => page.getByRole('button', { name }).click());

/** One action: types words with the Enter that runs the question, whose title is then this. */
export async function ask(words: string, question: RegExp): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(`${used.stack.url}/graphiql`);
  await act(async () => {
    await page.getByRole('searchbox', { name: 'Demander en mots' }).fill(words);
    await page.keyboard.press('Enter');
  });
  await eventually(() => page.locator('h1').textContent()).toMatch(question);
  await page.locator('.pa-body[aria-busy=false]').waitFor();
}

/** Two actions: opens the menu of files and takes one. */
export async function file(format: string): Promise<{ name: string; bytes: Buffer }> {
  await act(() => page.locator('.pa-pane summary', { hasText: 'Exporter' }).click());
  actions += 1;
  return downloaded(page, format);
}

/** The bars that are drawn, by name. */
export async function bars(): Promise<ReadonlyMap<string, number>> {
  await page.waitForSelector('.pa-count-table tbody tr');
  const cells = await page.$$eval('.pa-count-table tbody tr', (rows) =>
    rows.map((row) => [...row.querySelectorAll('td')].slice(0, 2).map((cell) => cell.textContent ?? '')),
  );
  return new Map(cells.map(([name = '', count = '']) => [name, Number(count.replaceAll(/\s/g, ''))]));
}

export const sentence = async () => (await page.locator('.pa-sentence').textContent())?.trim();

/** The cells of the table in front, by the titles of its columns. */
export async function table(): Promise<Record<string, string>[]> {
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
export type Rows = any[];

/** What a service of the sandbox answers at its own address, to the key that the product has. */
export async function rest(service: 'volunteering' | 'workStudy', path: string): Promise<Rows> {
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
export async function centreOf(insee: string): Promise<Point> {
  const found = await rest('workStudy', `/geographie/v1/commune/search?code=${insee}`);
  const [lon, lat] = found.find(({ code }) => code.insee === insee).localisation.centre.coordinates;
  return { lat, lon };
}

/** The missions with an address within a true distance of a point, in kilometres. */
export async function missionsAround(centre: Point, kilometres: number): Promise<Rows> {
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
export function tallied(values: readonly string[]): ReadonlyMap<string, number> {
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
export async function exportedOffers(args: Asked['args'] = {}): Promise<Rows> {
  if (rowsOfExport === undefined) {
    const { url } = (await rest('workStudy', '/job/v1/export')) as unknown as { url: string };
    rowsOfExport = (await (await fetch(url)).json()) as Json[];
  }
  return scan(rowsOfExport, { of: 'exportedOffers', args }, AREAS, Date.now()).map(({ row }) => row);
}

const AREAS: readonly Area[] = createRequire(import.meta.url)('@etalab/decoupage-administratif/data/departements.json');

/** The associations, of a département or of all, that have offers, with how many: at most ten, as the question asks. */
export async function offersOfAssociations(department: string | null): Promise<ReadonlyMap<string, number>> {
  const ofSiret = tallied((await exportedOffers()).map(({ workplace }) => workplace.siret));
  const found = (await everyRow('/v0/organization'))
    .filter(({ addressDepartmentCode }) => department === null || addressDepartmentCode === department)
    .map(({ title, siret, sirets }) => {
      const own: string[] = [...new Set([siret, ...sirets])].filter((one) => /^\d{14}$/.test(one ?? ''));
      return [title, own.reduce((sum, one) => sum + (ofSiret.get(one) ?? 0), 0)] as const;
    });
  return new Map(found.filter(([, offers]) => offers > 0).map(([title, offers]) => [title, Math.min(10, offers)]));
}
