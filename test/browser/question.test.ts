import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { POLLING } from '../polling.js';
import { type Browsing, browsing, eventually } from './browsing.js';

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

const words = (of: Page) => of.locator('.pa-words input');
async function ask(of: Page, text: string): Promise<void> {
  await words(of).fill(text);
  await words(of).press('Enter');
  await eventually(() => of.getAttribute('.pa-words form', 'aria-busy')).toBe('false');
}
const chips = (of: Page) => of.locator('.pa-chip').evaluateAll((all) => all.map((one) => one.textContent));
const sentence = (of: Page) => of.locator('.pa-sentence').textContent();
const leftOver = (of: Page) => of.locator('.pa-left-over').allTextContents();

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
    await eventually(() => chips(page)).toEqual([expect.stringContaining('Sport'), expect.stringContaining('Rouen')]);
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
    await eventually(() => chips(page)).toEqual([expect.stringContaining('Finistère')]);
  });

  test('asks which of two is meant by a town that is also a word', async () => {
    await ask(page, 'offres mâcon');
    await eventually(() => leftOver(page)).toEqual([expect.stringContaining('mâcon')]);
    await page.getByRole('button', { name: /^La commune/ }).click();
    await eventually(() => chips(page)).toEqual([expect.stringContaining('Mâcon')]);
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
