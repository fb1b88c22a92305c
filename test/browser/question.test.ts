import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { POLLING } from '../polling.js';
import { IS_LONG } from '../runs.js';
import { brokenRules, drawnRows, editorReady } from './analyst.js';
import { type Browsing, browsing, eventually } from './browsing.js';
import { downloaded } from './download.js';

let used: Browsing;
let page: Page;

async function open(place: string, locale = 'fr'): Promise<Page> {
  const context = await used.chromium.freshContext({ locale });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const opened = await context.newPage();
  opened.setDefaultTimeout(POLLING.timeout);
  await opened.setViewportSize({ width: 1440, height: 900 });
  await opened.goto(`${used.stack.url}${place}`);
  return opened;
}

const top = (of: Page, part: string) =>
  of
    .locator(part)
    .first()
    .evaluate((one) => one.getBoundingClientRect().top);
const FIRST_ROW = '.pa-table tbody tr[aria-rowindex] td';

const words = (of: Page) => of.locator('.pa-words input');
async function ask(of: Page, text: string): Promise<void> {
  await words(of).fill(text);
  await words(of).press('Enter');
  await eventually(() => of.getAttribute('.pa-words form', 'aria-busy')).toBe('false');
}
const chips = (of: Page) => of.locator('.pa-chip').evaluateAll((all) => all.map((one) => one.textContent));
const sentence = (of: Page) => of.locator('.pa-sentence').textContent();
const leftOver = (of: Page) => of.locator('.pa-left-over').allTextContents();
const focused = (of: Page) => of.evaluate('document.activeElement.tagName');

beforeAll(async () => {
  used = await browsing();
  page = await open('/graphiql');
});
afterAll(() => page.context().close());

describe('A question in words', () => {
  test('runs by itself if every word was understood, with its criteria as chips', async () => {
    expect(await page.locator('.pa-subjects').first().locator('button').count()).toBe(9);
    await ask(page, 'missions de sport à Rouen');
    await eventually(() => sentence(page)).toMatch(/^\d+ missions? · liste complète · données du /);
    expect(await chips(page)).toEqual([expect.stringContaining('Sport'), expect.stringContaining('Rouen')]);
    expect(await leftOver(page)).toEqual([]);
  });

  test('with a word that is not understood says so and waits; the word is searched for, or left out', async () => {
    await ask(page, 'missions zorglub à Rouen');
    await eventually(() => leftOver(page)).toEqual([expect.stringContaining('zorglub')]);
    expect(await page.locator('.pa-sentence').count()).toBe(0);
    expect(await page.locator('.pa-run').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Laisser de côté' }).click();
    await page.locator('.pa-run').click();
    await eventually(() => sentence(page)).toMatch(/^\d+ missions? · /);
  });

  test('without a subject keeps its criteria and offers the subjects', async () => {
    await ask(page, 'dans le Finistère');
    await eventually(() => page.locator('h1').textContent()).toMatch(/^Que cherchez-vous/);
    await page.getByRole('button', { name: 'Associations', exact: true }).click();
    expect(await chips(page)).toEqual([expect.stringContaining('Finistère')]);
  });

  test('asks which of two is meant by a town that is also a word', async () => {
    await ask(page, 'offres mâcon');
    await eventually(() => leftOver(page)).toEqual([expect.stringContaining('mâcon')]);
    await page.getByRole('button', { name: /^La commune/ }).click();
    expect(await chips(page)).toEqual([expect.stringContaining('Mâcon')]);
  });
});

describe('A field', () => {
  const suggested = (typed: string, criterion: string) => async () => {
    await page.locator('.pa-criteria > select').selectOption(criterion);
    await page.getByRole('combobox', { name: /./ }).last().fill(typed);
    return page.locator('[role=option]').allTextContents();
  };

  test('suggests places of every kind with their inhabitants, and trades with their offers', async () => {
    await page.goto(`${used.stack.url}/graphiql#ask=offers`);
    const places = suggested('rennes', 'place');
    await eventually(places).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Rennes commune 35238 · 230\s890 hab\.$/),
        expect.stringMatching(/^Rennes Métropole EPCI 243500139 · 473\s973 hab\.$/),
      ]),
    );
    await page.keyboard.press('Escape');
    const trades = suggested('boulang', 'occupation');
    await eventually(trades).toContainEqual(expect.stringMatching(/^Boulange.* D1102 · \d+ offres$/));
  });
});

describe('The address', () => {
  test('is the state: Back, a reload, another browser and its title follow it', async () => {
    await ask(page, 'missions à Rouen');
    await eventually(() => sentence(page)).toMatch(/mission/);
    const before = [await sentence(page), await page.title(), page.url()];
    await ask(page, 'missions à Grenoble');
    await eventually(() => page.title()).toContain('Grenoble');
    await page.goBack();
    await eventually(() => page.title()).toBe(before[1]);
    await eventually(() => sentence(page)).toBe(before[0]);
    await page.reload();
    await eventually(() => sentence(page)).toMatch(/mission/);
    const other = await open(`/graphiql${new URL(page.url()).hash}`);
    await eventually(async () => (await sentence(other))?.split(' · ')[0]).toBe(before[0]?.split(' · ')[0]);
    expect(await other.title()).toBe(before[1]);
    await other.context().close();
  });

  test('that costs more than a link may shows its price and waits, and is sent without a key', async () => {
    const sent: string[] = [];
    page.on('request', (request) => {
      const isAsked = request.postData()?.includes('exportedOffers') && !request.headers()['x-passerelle-dry-run'];
      if (isAsked) sent.push(request.headers()['x-work-study-key'] ?? 'no key');
    });
    await page.goto(`${used.stack.url}/graphiql#ask=offers&place=departement:971`);
    await eventually(() => sentence(page)).toMatch(/^16 offres · /);
    expect(sent).toEqual(['no key']);
  });

  test('of an earlier page’s example opens the question that it was', async () => {
    await page.goto(`${used.stack.url}/graphiql#example=missions-near-a-commune`);
    await eventually(() => page.title()).toMatch(/^Missions.*Rouen/);
  });
});

describe.runIf(IS_LONG)('A question and its answer', () => {
  test('have the first row near the top, on a phone too, with every control in reach', async () => {
    await page.goto(`${used.stack.url}/graphiql#ask=missions&place=commune:76540~10`);
    await drawnRows(page);
    expect(await top(page, FIRST_ROW)).toBeLessThanOrEqual(300);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await top(page, FIRST_ROW)).toBeLessThanOrEqual(420);
    const sideways = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(sideways).toBeLessThanOrEqual(0);
    expect(await brokenRules(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('is exported by one menu with names of the page, or those of the graph', async () => {
    const csv = async () => {
      const head = (await downloaded(page, 'CSV')).bytes.toString('utf8').split('\r\n')[0];
      await page.getByText('Exporter', { exact: true }).click();
      return head;
    };
    expect(await csv()).toMatch(/Titre,Domaine/);
    await page.getByLabel('noms et codes du graphe').check();
    expect(await csv()).toMatch(/title,domain/);
    await page.getByLabel('noms et codes du graphe').uncheck();
    await page.keyboard.press('Escape');
  });

  test('take criteria away without losing the focus to the page', async () => {
    await page.locator('.pa-chip button').last().click();
    await eventually(() => page.locator('.pa-chip').count()).toBe(0);
    expect(await focused(page)).not.toBe('BODY');
  });

  test('without rows says what would give some', async () => {
    await page.goto(`${used.stack.url}/graphiql#ask=offers&place=departement:76&level=LEVEL_8`);
    await eventually(() => page.locator('.pa-body .pa-empty').textContent()).toMatch(/Sans .*\d+ ligne/);
  });

  test('turn to GraphiQL by one key and back', async () => {
    await page.goto(`${used.stack.url}/graphiql#ask=missions&place=departement:35`);
    await eventually(() => sentence(page)).toMatch(/mission/);
    await page.keyboard.press('F2');
    await editorReady(page);
    await eventually(() => page.textContent('.graphiql-query-editor .view-lines')).toContain('missionSearch');
    expect(new URL(page.url()).hash).toBe('#code');
    await page.keyboard.press('F2');
    await eventually(() => sentence(page)).toMatch(/mission/);
  });

  describe('of whose page a part cannot be loaded', () => {
    afterEach(() => page.unrouteAll());

    test('have the others and say so', async () => {
      const fresh = await open('/graphiql#ask=missions&place=departement:35');
      await drawnRows(fresh);
      await fresh.route('**/map-view-*.js', (route) => route.abort());
      await fresh.click('#pa-tab-Map');
      await eventually(() => fresh.locator('.pa-failed').textContent()).toMatch(
        /^Cette partie de la page a échoué\u202f: .*dynamically imported/,
      );
      await fresh.click('#pa-tab-Table');
      expect((await drawnRows(fresh)).length).toBeGreaterThan(0);
      await fresh.context().close();
    });
  });
});
