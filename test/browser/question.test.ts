import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { POLLING } from '../polling.js';
import { IS_LONG } from '../runs.js';
import { brokenRules, drawnRows } from './analyst.js';
import { type Browsing, browsing, eventually } from './browsing.js';
import { downloaded, press } from './download.js';

let used: Browsing;
let page: Page;

async function open(place: string): Promise<Page> {
  const context = await used.chromium.freshContext({ locale: 'fr' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const opened = await context.newPage();
  opened.setDefaultTimeout(POLLING.timeout);
  await opened.setViewportSize({ width: 1440, height: 900 });
  await opened.goto(`${used.stack.url}${place}`);
  return opened;
}

const editors = (of: Page) => of.locator('.graphiql-editors');
const top = (of: Page, part: string) =>
  of
    .locator(part)
    .first()
    .evaluate((one) => one.getBoundingClientRect().top);

beforeAll(async () => {
  used = await browsing();
  page = await open('/');
});
afterAll(() => page.context().close());

describe.runIf(IS_LONG)('A question', () => {
  test('to which the home page leads by one click has the editors folded, its title, its form and the whole width', async () => {
    await page.locator('a[href="/graphiql#example=missions-near-a-commune"]').click();
    await page.waitForSelector('.pa-pane');
    expect(await editors(page).isVisible()).toBe(false);
    await eventually(() => page.locator('h1').textContent()).toMatch(/^Missions autour d’une commune/);
    const width = (await page.locator('.pa-pane').boundingBox())?.width;
    expect(width).toBeGreaterThan(1300);
    await page.locator('.pa-run').waitFor();
  });

  test('says in one sentence how many, where, whether all and of when, with the first row near the top', async () => {
    // The key that the text names: the editors, which know it, are folded.
    await page.keyboard.press('Control+Enter');
    await page.locator('#pa-tab-Table').click();
    const rows = await drawnRows(page);
    expect(rows.length).toBeGreaterThan(0);
    await eventually(() => page.locator('.pa-sentence').textContent()).toMatch(
      /^[\d\s]+ missions? à moins de \d+\skm (de |d’)\D+ · .+ · données du \d+ \S+ à \d\d:\d\d$/,
    );
    expect(await top(page, '.pa-table tbody tr[aria-rowindex] td')).toBeLessThanOrEqual(300);
  });

  test('is exported by one menu and shared by another, also where the editor’s own buttons are folded', async () => {
    expect(await page.locator('.pa-body .pa-menu summary').allTextContents()).toEqual(['Exporter', 'Partager']);
    expect(await page.getByRole('button', { name: 'CSV', exact: true }).count()).toBe(0);
    expect((await downloaded(page, 'CSV')).name).toMatch(
      /^missions-autour-d-une-commune-.+-\d{4}-\d\d-\d\d(-incomplete)?\.csv$/,
    );
    await press(page, 'Copier un lien vers cette requête');
    await eventually(() => page.textContent('.pa-status')).toContain('Lien copié');
  });

  test('has panels over its rows, which stay where they are, and gives the focus back', async () => {
    const row = () => top(page, '.pa-table tbody tr[aria-rowindex] td');
    // What comes after the rows may move them.
    await page.waitForSelector('.pa-price:not(:empty)');
    const before = await row();
    for (const name of ['Filtrer', 'Colonnes']) {
      await page.getByRole('button', { name }).click();
      expect(await row()).toBe(before);
      await page.keyboard.press('Escape');
      await eventually(() => page.evaluate('document.activeElement.innerText.trim()')).toBe(name);
      expect(await page.locator('.pa-toolbox:visible').count()).toBe(0);
    }
  });

  test('unfolds its code by one key, and stays so after a reload; folded again, it stays that way too', async () => {
    await page.keyboard.press('F2');
    await eventually(() => editors(page).isVisible()).toBe(true);
    await page.reload();
    await page.waitForSelector('.pa-pane');
    expect(await editors(page).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Code', exact: true }).click();
    await eventually(() => editors(page).isVisible()).toBe(false);
  });

  describe('of whose page a part cannot be loaded', () => {
    afterEach(() => page.unrouteAll());

    test.each([
      ['map-view', '.pa-body', '#pa-tab-Map', '#pa-tab-Table'],
      [
        'sources-panel',
        '.graphiql-plugin',
        '[aria-label^="Montrer les sources"]',
        '[aria-label^="Masquer les sources"]',
      ],
    ])('has the others without %s, and says so', async (file, part, open, leave) => {
      await page.locator('.pa-run').click();
      await page.route(`**/${file}-*.js`, (route) => route.abort());
      await page.click(open);
      const failed = page.locator(part).locator('.pa-failed');
      await eventually(() => failed.textContent()).toMatch(
        /^Cette partie de la page a échoué\u202f: .*dynamically imported/,
      );
      expect(await failed.getByRole('button').allTextContents()).toEqual(['Réessayer', 'Recharger la page']);
      expect(await brokenRules(page, part)).toEqual([]);
      await page.click(leave);
      expect((await drawnRows(page)).length).toBeGreaterThan(0);
      expect(await page.locator('.pa-failed').count()).toBe(0);
    });
  });

  test('has its answer in sight where all is twice as large', async () => {
    await page.setViewportSize({ width: 720, height: 450 });
    await page.locator('.pa-run').click();
    await drawnRows(page);
    expect(await top(page, '.pa-sentence')).toBeLessThan(450);
    await page.locator('.pa-table tbody tr[aria-rowindex]').first().scrollIntoViewIfNeeded();
    const response = page.locator('.graphiql-response');
    expect(await response.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('is not what the bare page is, unless the screen is narrow; there the answer is in view', async () => {
    const bare = await open('/graphiql');
    await bare.waitForSelector('.pa-pane');
    expect(await editors(bare).isVisible()).toBe(true);
    await bare.setViewportSize({ width: 390, height: 844 });
    await bare.reload();
    await bare.waitForSelector('.pa-pane');
    expect(await editors(bare).isVisible()).toBe(false);
    expect(await bare.locator('.pa-questions button').count()).toBe(8);
    expect(await brokenRules(bare, '.pa-pane')).toEqual([]);
    await bare.locator('.pa-questions').getByRole('button', { name: 'Missions autour d’une commune' }).click();
    await bare.locator('#pa-tab-Table').click();
    await drawnRows(bare);
    expect(await top(bare, '.pa-table tbody tr[aria-rowindex]')).toBeLessThan(600);
    await bare.context().close();
  });
});
