import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { parseCsv, withoutNote } from '../web/support.js';
import { type Analyst, drawnRows, editorReady, openAnalyst } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { downloaded, press } from './download.js';

const used = openedAnalyst();

const MISSIONS_OF_ANOTHER_SIZE =
  'query MissionsAndTheirCommunes { missions(first: 43) { nodes { title commune { nom code { insee } } } } }';

describe('The response on the page', () => {
  test('comes with its status, time, size and calls', async () => {
    await used.analyst.run();
    expect(await used.analyst.status()).toMatch(/^HTTP 200 · [\d.,]+ m?s · [\d.]+ kB · \d+ upstream calls/);
  });

  test('shows the rows of a list as a table, sorted on demand', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    expect(await page.locator('.pa-table caption').textContent()).toMatch(
      /^50 rows of missions\.nodes\[\], one page of a list of [\d,]+$/,
    );
    await page.getByRole('button', { name: 'commune.code.insee' }).click();
    const columns = await page.locator('.pa-table th').allTextContents();
    const insee = columns.findIndex((name) => name.startsWith('commune.code.insee'));
    const codes = (await drawnRows(page)).map((row) => row[insee] ?? '').filter((code) => code !== '');
    expect(codes.length).toBeGreaterThan(30);
    expect(codes).toEqual([...codes].sort((one, other) => one.localeCompare(other, 'fr', { numeric: true })));
    expect(await page.locator('.pa-table th').nth(insee).getAttribute('aria-sort')).toBe('ascending');
  });

  test('gives the rows away as CSV, French CSV, XLSX, GeoJSON and JSON', async () => {
    const csv = await downloaded(used.analyst.page, 'CSV');
    expect(csv.name).toBe('missions-incomplete.csv');
    const [names, ...records] = withoutNote(parseCsv(csv.bytes.toString('utf8')));
    expect(names?.slice(0, 3)).toEqual(['title', 'domain', 'city']);
    expect(records).toHaveLength(50);
    expect((await downloaded(used.analyst.page, 'CSV (Excel, French)')).bytes.subarray(0, 3)).toEqual(
      Buffer.from([0xef, 0xbb, 0xbf]),
    );
    expect((await downloaded(used.analyst.page, 'Excel')).bytes.subarray(0, 2).toString()).toBe('PK');
    const { features } = JSON.parse((await downloaded(used.analyst.page, 'GeoJSON')).bytes.toString('utf8'));
    expect(features).toHaveLength(50);
    const json = await downloaded(used.analyst.page, 'JSON');
    expect(json.name).toBe('response-incomplete.json');
    expect(JSON.parse(json.bytes.toString('utf8')).data.missions.nodes).toHaveLength(50);
  });

  test.runIf(IS_LONG)('copies a link that gives the same rows to a spreadsheet', async () => {
    const { page } = used.analyst;
    await press(page, 'Copy data link');
    await eventually(() => used.analyst.status()).toContain('Data link copied');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const [byLink, saved] = [await (await fetch(link)).text(), (await downloaded(page, 'CSV')).bytes.toString('utf8')];
    expect(withoutNote(parseCsv(byLink))).toEqual(withoutNote(parseCsv(saved)));
  });

  test.runIf(IS_LONG)('keeps the focus near where columns are ticked, and filters removed, by keys', async () => {
    const { page } = used.analyst;
    const focused = () => page.evaluate(`document.activeElement.closest('label, button')?.textContent.trim()`);
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    for (const isShown of [false, true]) {
      await page.getByLabel('city', { exact: true }).press('Space');
      await eventually(() => page.getByLabel('city', { exact: true }).isChecked()).toBe(isShown);
      await eventually(focused).toBe('city');
    }
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.locator('.pa-toolbox select').first().selectOption('domain');
    await page.locator('.pa-values input[type=checkbox]').first().check();
    await page.getByRole('button', { name: /^Remove the filter domain/ }).press('Enter');
    await eventually(focused).toBe('Filter');
    const [filter, reset] = [
      page.getByRole('button', { name: 'Filter', exact: true }),
      page.getByRole('button', { name: 'Reset' }),
    ];
    await reset.click();
    // The controls beside it move when it disappears.
    await eventually(() => reset.count()).toBe(0);
    await filter.click();
    await eventually(() => filter.getAttribute('aria-expanded')).toBe('false');
  });

  test('chooses rows and columns: table, files, link and map have the same', async () => {
    const { page } = used.analyst;
    const shown = () => page.locator('.pa-shown').textContent();
    await page.getByLabel('Search in all columns').fill('a');
    await page.getByRole('button', { name: 'Reset' }).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.locator('.pa-toolbox select').first().selectOption('domain');
    await page.locator('.pa-values input[type=checkbox]').first().check();
    await page.locator('.pa-values input[type=checkbox]').nth(1).check();
    await page.locator('.pa-toolbox select').first().selectOption('location.lat');
    await page.getByLabel('From').fill('44');
    await page.getByLabel('Cells').selectOption('not empty');
    await eventually(shown).toMatch(/^([1-9]|1\d) of 50 rows$/);
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByLabel('Hide columns').check();
    await page.getByLabel('communeMatch.method', { exact: true }).uncheck();
    await page.getByLabel('Title of domain').fill('Domaine');
    await page.getByRole('button', { name: 'Move city forward' }).click();
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByLabel('Distinct rows').check();
    const count = Number.parseInt((await shown()) ?? '', 10);
    const [names, ...records] = withoutNote(parseCsv((await downloaded(page, 'CSV')).bytes.toString('utf8')));
    expect(names?.slice(0, 3)).toEqual(['title', 'city', 'Domaine']);
    expect(records).toHaveLength(count);
    await eventually(() => drawnRows(page)).toEqual(records);
    expect(await page.locator('.pa-chips li').allTextContents()).toHaveLength(3);
    await press(page, 'Copy data link');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(withoutNote(parseCsv(await (await fetch(link)).text()))).toEqual([names, ...records]);
    await press(page, 'Data link …');
    await page.getByLabel('Format').selectOption('geojson');
    const places = await fetch((await page.textContent('.pa-snippet')) ?? '');
    expect(((await places.json()) as { features: unknown[] }).features).toHaveLength(count);
    await page.getByLabel('For', { exact: false }).first().selectOption('pandas');
    await page.locator('.pa-toolbox').getByLabel('All pages').check();
    expect(await page.textContent('.pa-snippet')).toMatch(
      /read_csv\(".*pages=all.*distinct=true.*dtype=\{"postalCode": str/,
    );
    if (IS_LONG) expect(await used.analyst.brokenRules('.graphiql-response')).toEqual([]);
    await press(page, 'Data link …');
    await used.analyst.view('Map');
    await page.waitForSelector('.pa-drawing');
    expect(await page.textContent('.pa-note')).toMatch(new RegExp(`^${count} points?, one page of`));
  });

  test.runIf(IS_LONG)('keeps what was chosen over other tabs, by a link, over other windows and a reload', async () => {
    const { page } = used.analyst;
    const before = await page.locator('.pa-shown').textContent();
    await page.getByLabel('Colour').selectOption('city');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const whole = await page.textContent('.pa-scale');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await eventually(() => page.textContent('.pa-scale')).not.toBe(whole);
    const scale = await page.textContent('.pa-scale');
    await page.getByRole('button', { name: 'MissionsNearACommune', exact: true }).click();
    expect(await page.getAttribute('#pa-tab-Table', 'aria-selected')).toBe('true');
    await page.getByRole('button', { name: 'MissionsAndTheirCommunes', exact: true }).click();
    expect(await page.getAttribute('#pa-tab-Map', 'aria-selected')).toBe('true');
    await page.getByRole('button', { name: 'Copy a link to this query' }).click();
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const fresh = await used.chromium.freshContext();
    const other = await openAnalyst(fresh, link);
    expect(new URL(other.page.url()).hash).toBe('');
    const isAsChosen = async (): Promise<void> => {
      expect(await other.page.locator('.graphiql-tab').count()).toBe(3);
      expect(await other.page.textContent('.graphiql-tab-active')).toContain('MissionsAndTheirCommunes');
      expect(await other.page.textContent('.graphiql-editor-tool .view-lines')).toContain('first');
      await other.run();
      await other.page.waitForSelector('.pa-drawing');
      expect(await other.page.locator('.pa-shown').textContent()).toBe(before);
      expect(await other.page.getByLabel('Colour').inputValue()).toBe('city');
      expect(await other.page.textContent('.pa-scale')).toBe(scale);
    };
    await isAsChosen();
    const second = await openAnalyst(fresh, `${used.stack.url}/graphiql`);
    await other.page.getByLabel('Colour').selectOption('');
    await other.page.getByLabel('Colour').selectOption('city');
    await second.view('Trace');
    await second.view('Map');
    await second.page.close();
    await other.page.reload();
    await editorReady(other.page);
    await isAsChosen();
    await opensLinksInTheSameWindow(other, link);
    await fresh.close();
    await page.getByLabel('Colour').selectOption('');
  });

  /** A link that differs only after its `#` makes the browser load nothing. */
  async function opensLinksInTheSameWindow({ page }: Analyst, link: string): Promise<void> {
    const tabs = await page.locator('.graphiql-tab').count();
    const active = () => page.textContent('.graphiql-tab-active');
    const pasted = { q: 'query Pasted { regions: mission(id: "x") { id } }', v: '{"note":"à"}', m: { view: 'Trace' } };
    const fragment = Buffer.from(JSON.stringify(pasted)).toString('base64url');
    await page.goto(`${used.stack.url}/graphiql#q=${fragment}`);
    await eventually(active).toContain('Pasted');
    await eventually(() => page.textContent('.graphiql-editor-tool .view-lines')).toContain('à');
    await eventually(() => page.getAttribute('#pa-tab-Trace', 'aria-selected')).toBe('true');
    await page.goto(`${used.stack.url}/graphiql#example=missions-locales`);
    await eventually(active).toMatch(/locale/i);
    await page.goto(link);
    await eventually(active).toContain('MissionsAndTheirCommunes');
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.locator('.graphiql-tab').count()).toBe(tabs + 2);
  }

  test.runIf(IS_LONG)(
    'counts them, with bars and a map of départements, and offers the counts of all missions',
    async () => {
      const { page } = used.analyst;
      await page.getByRole('button', { name: 'Reset' }).click();
      await eventually(() => page.locator('.pa-shown').textContent()).toBe('50 rows');
      await used.analyst.view('Counts');
      await page.waitForSelector('.pa-choropleth');
      const counted = async () => (await drawnCounts()).reduce((sum, cells) => sum + Number(cells[1]), 0);
      const drawnCounts = () =>
        page.$$eval('.pa-count-table tbody tr', (rows) =>
          rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
        );
      const { missionCounts } = (await used.stack.send('{ missionCounts(by: DEPARTMENT) { groups { count } } }')).data;
      const all = missionCounts.groups.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
      expect(all).toBeGreaterThan(50);
      await eventually(counted).toBe(all);
      expect(await page.textContent('.pa-count-table caption')).toContain('counted at the source');
      expect(await page.locator('.pa-choropleth path[class^=pa-level]').count()).toBeGreaterThan(10);
      await page.getByLabel('Count by').selectOption('domain');
      await eventually(() => page.locator('.pa-choropleth').count()).toBe(0);
      await eventually(() => page.textContent('.pa-count-table caption')).toContain('counted at the source');
      const svg = await downloaded(page, 'SVG');
      expect([svg.name, svg.bytes.toString('utf8')]).toEqual(['counts.svg', expect.stringMatching(/<text.*%\)/)]);
      expect((await downloaded(page, 'PNG')).bytes.subarray(1, 4).toString()).toBe('PNG');
      await page.getByLabel('and by').selectOption('city');
      await eventually(() => page.locator('.pa-kinds li').count()).toBeGreaterThan(5);
      expect(await counted()).toBe(50);
      await page.getByLabel('and by').selectOption('');
      await page.getByLabel('Numbers of').selectOption('location.lat');
      await page.getByLabel('Bars show').selectOption('median');
      const { name, bytes } = await downloaded(page, 'Counts: CSV');
      const [head, ...records] = withoutNote(parseCsv(bytes.toString('utf8')));
      expect([name, head]).toEqual([
        'counts-incomplete.csv',
        ['domain', 'rows', 'sum', 'mean', 'median', 'least', 'greatest'],
      ]);
      expect(records.reduce((sum, cells) => sum + Number(cells[1]), 0)).toBe(50);
      const medians = records.map((cells) => Number(cells[4]));
      expect(medians).toEqual(medians.toSorted((one, other) => other - one));
    },
  );

  test.runIf(IS_LONG)(
    'tells what the response cost: plan, calls, quota, and the totals of the status line',
    async () => {
      const { page } = used.analyst;
      // With its own page size: other files run the example unchanged on the same stack, and a cached response has no
      // quota.
      await used.analyst.write(MISSIONS_OF_ANOTHER_SIZE);
      await used.analyst.run();
      await used.analyst.view('Trace');
      const trace = (await page.textContent('.pa-trace')) ?? '';
      expect(trace).toContain('missions.nodes.@');
      expect(trace).toMatch(/volunteering: \d+ of \d+ left, resets in \d+ s/);
      const [, made] = /· (\d+) upstream calls?/.exec(await used.analyst.status()) ?? [];
      expect(trace).toContain(`Calls made${made}`);
      const group = page.getByRole('button', { name: /^\+ \d+$/ });
      const before = await page.locator('.pa-calls tbody tr').count();
      await group.click();
      expect(await page.locator('.pa-calls tbody tr').count()).toBeGreaterThan(before + 20);
    },
  );

  test('keeps the response of each tab', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    await page.getByRole('button', { name: 'MissionsNearACommune', exact: true }).click();
    await used.analyst.view('Table');
    expect(await page.textContent('.pa-body')).toContain('No response yet');
    await used.analyst.run();
    expect(await page.locator('.pa-table caption').textContent()).toContain('commune.missions.edges[]');
    expect(await page.locator('.pa-table th').first().textContent()).toBe('edge.distance');
    await page.getByRole('button', { name: 'MissionsAndTheirCommunes', exact: true }).click();
    expect(await page.locator('.pa-table caption').textContent()).toContain('missions.nodes[]');
  });

  testThatNothingWasBroken(used);
});
