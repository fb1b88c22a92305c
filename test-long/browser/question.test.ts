import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { brokenRules, drawnRows, editorReady, openAnalyst } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst } from '../../test/browser/browsing.js';
import { downloaded } from '../../test/browser/download.js';

const used = openedAnalyst('#ask=missions&place=commune:76540~10', { locale: 'fr' });
let page: Page;
beforeAll(() => {
  page = used.analyst.page;
});

const firstRow = () => page.$eval('.pa-table tbody tr[aria-rowindex] td', (one) => one.getBoundingClientRect().top);
const sentence = () => page.locator('.pa-sentence').textContent();

describe('A question and its answer', () => {
  test('have the first row near the top, on a phone too, with every control in reach', async () => {
    await drawnRows(page);
    expect(await firstRow()).toBeLessThanOrEqual(300);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await firstRow()).toBeLessThanOrEqual(420);
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
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
  });

  test('without rows says what would give some', async () => {
    await page.goto(`${used.stack.url}/graphiql#ask=offers&place=departement:76&level=LEVEL_8`);
    await eventually(() => page.locator('.pa-body .pa-empty').textContent()).toMatch(/Sans .*\d+ ligne/);
  });

  test('turn to GraphiQL by one key and back', async () => {
    await page.goto(`${used.stack.url}/graphiql#ask=missions&place=departement:35`);
    await eventually(() => sentence()).toMatch(/mission/);
    await page.keyboard.press('F2');
    await editorReady(page);
    await eventually(() => page.textContent('.graphiql-query-editor .view-lines')).toContain('missionSearch');
    expect(new URL(page.url()).hash).toBe('#code');
    await page.keyboard.press('F2');
    await eventually(() => sentence()).toMatch(/mission/);
  });

  describe('of whose page a part cannot be loaded', () => {
    test('have the others and say so', async () => {
      const context = await used.chromium.freshContext({ locale: 'fr' });
      const place = `${used.stack.url}/graphiql#ask=missions&place=departement:35`;
      const { page: fresh } = await openAnalyst(context, place);
      await drawnRows(fresh);
      await fresh.route('**/map-view-*.js', (route) => route.abort());
      await fresh.click('#pa-tab-Map');
      await eventually(() => fresh.locator('.pa-failed').textContent()).toMatch(
        /^Cette partie de la page a échoué\u202f: .*dynamically imported/,
      );
      await fresh.click('#pa-tab-Table');
      expect((await drawnRows(fresh)).length).toBeGreaterThan(0);
      await context.close();
    });
  });
});
