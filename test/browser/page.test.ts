import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer, listen } from '../../gateway/listener.js';
import { servePages } from '../../gateway/pages.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { parseCsv } from '../web/support.js';
import { type Analyst, brokenRules, buildPage, drawnRows, editorReady, openAnalyst } from './analyst.js';
import { type Chromium, startChromium } from './chromium.js';

/** A cold first load, workers included, may send at most this much over the wire; the schema is data, not page. */
const FIRST_LOAD_BYTES = 1_300_000;

let stack: Stack;
let chromium: Chromium;
let analyst: Analyst;

beforeAll(async () => {
  buildPage();
  [stack, chromium] = await Promise.all([startStack({ shape: 'in process' }), startChromium()]);
  analyst = await openAnalyst(chromium.context, `${stack.url}/graphiql`);
}, 120_000);

afterAll(async () => {
  await chromium?.close();
  await stack?.close();
});

describe('The analyst page', () => {
  test('loads from its own origin alone, small, with three workers', async () => {
    const fresh = await chromium.freshContext();
    const page = await fresh.newPage();
    const wire = await fresh.newCDPSession(page);
    let bytes = 0;
    const answers = new Set<string>();
    await wire.send('Network.enable');
    wire.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (request.url.endsWith('/graphql')) answers.add(requestId);
    });
    wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (!answers.has(requestId)) bytes += encodedDataLength;
    });
    await page.goto(`${stack.url}/graphiql`);
    await editorReady(page);
    await soon(() => page.workers().length).toBe(3);
    await page.waitForLoadState('networkidle');
    // What the workers load, the page's own wire does not tell.
    for (const worker of page.workers()) {
      const { headers } = await fetch(worker.url(), { headers: { 'accept-encoding': 'br' } });
      expect(headers.get('content-encoding')).toBe('br');
      bytes += Number(headers.get('content-length'));
    }
    expect(bytes).toBeGreaterThan(500_000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
    await fresh.close();
  });

  test('sends hashed files to be kept, compressed before, under the policy', async () => {
    const html = await fetch(`${stack.url}/graphiql`);
    expect(html.headers.get('cache-control')).toBe('no-cache');
    const policy = html.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe-eval|blob:|https?:|script-src[^;]*unsafe|style-src '[^;]*unsafe/);
    const [, script = ''] = /src="([^"]+\.js)"/.exec(await html.text()) ?? [];
    const file = await fetch(`${stack.url}${script}`, { headers: { 'accept-encoding': 'br' } });
    expect(file.headers.get('content-encoding')).toBe('br');
    expect(file.headers.get('cache-control')).toMatch(/max-age=31536000.*immutable/);
    expect(file.headers.get('content-security-policy')).toBe(policy);
    expect(await file.text()).not.toMatch(/new Function\(|[^\w.]eval\(/);
    const slash = await fetch(`${stack.url}/graphiql/`, { redirect: 'manual' });
    expect([slash.status, slash.headers.get('location')]).toEqual([308, '/graphiql']);
    for (const path of ['/graphiql/assets/none.js', '/graphiql/assets/..%2findex.html', '/graphiql/.built']) {
      expect((await fetch(`${stack.url}${path}`)).status).toBe(404);
    }
  });

  test('opens with two examples, the first with its variables, and runs it', async () => {
    const tabs = await analyst.page.locator('.graphiql-tab').allTextContents();
    expect(tabs).toEqual([
      expect.stringContaining('MissionsAndTheirCommunes'),
      expect.stringContaining('MissionsNearACommune'),
    ]);
    await soon(() => analyst.page.textContent('.graphiql-editor-tool .view-lines')).toContain('first');
    await analyst.run();
    expect(await analyst.status()).toMatch(/^HTTP 200 · [\d.]+ m?s · [\d.]+ kB · \d+ upstream calls/);
  });

  test('shows the rows of a list as a table, sorted on demand', async () => {
    const { page } = analyst;
    await analyst.view('Table');
    expect(await page.locator('.pa-table caption').textContent()).toBe('50 rows of missions.nodes[]');
    await page.getByRole('button', { name: 'commune.code.insee' }).click();
    const columns = await page.locator('.pa-table th').allTextContents();
    const insee = columns.findIndex((name) => name.startsWith('commune.code.insee'));
    const codes = (await drawnRows(page)).map((row) => row[insee] ?? '').filter((code) => code !== '');
    expect(codes.length).toBeGreaterThan(30);
    expect(codes).toEqual([...codes].sort((one, other) => one.localeCompare(other, 'fr', { numeric: true })));
    expect(await page.locator('.pa-table th').nth(insee).getAttribute('aria-sort')).toBe('ascending');
  });

  test('gives the rows away as CSV, French CSV, XLSX, GeoJSON and JSON', async () => {
    const csv = await downloaded('CSV');
    expect(csv.name).toBe('missions.csv');
    const [names, ...records] = parseCsv(csv.bytes.toString('utf8'));
    expect(names?.slice(0, 3)).toEqual(['title', 'domain', 'city']);
    expect(records).toHaveLength(50);
    expect((await downloaded('CSV (Excel, French)')).bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    expect((await downloaded('Excel')).bytes.subarray(0, 2).toString()).toBe('PK');
    const { features } = JSON.parse((await downloaded('GeoJSON')).bytes.toString('utf8'));
    expect(features).toHaveLength(50);
    expect(JSON.parse((await downloaded('JSON')).bytes.toString('utf8')).data.missions.nodes).toHaveLength(50);
  });

  test('copies a link that gives the same rows to a spreadsheet', async () => {
    const { page } = analyst;
    await page.getByRole('button', { name: 'Copy data link' }).click();
    await soon(() => analyst.status()).toContain('Data link copied');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const rows = await (await fetch(link)).text();
    expect(rows).toBe((await downloaded('CSV')).bytes.toString('utf8'));
  });

  test('draws them on the map, in colours, and says what it could not draw', async () => {
    const { page } = analyst;
    await analyst.view('Map');
    await page.waitForSelector('.pa-drawing');
    const [, points = '0', rest = ''] = /^(\d+) points?(.*)/.exec((await page.textContent('.pa-note')) ?? '') ?? [];
    const counted = [...rest.matchAll(/(\d+) rows?/g)].reduce((sum, [, rows]) => sum + Number(rows), Number(points));
    expect(counted).toBe(50);
    const drawn = await page.$eval(
      '.pa-points',
      (group) => group.querySelector('path')?.getAttribute('d')?.match(/M/g)?.length,
    );
    expect(drawn).toBe(Number(points));
    await page.getByLabel('Colour').selectOption('domain');
    expect(await page.locator('.pa-legend li').count()).toBeGreaterThan(3);
    await page.getByLabel('Fit to the points').check();
    const box = await page.getAttribute('.pa-drawing', 'viewBox');
    expect(box).not.toBe('0 0 613 665');
  });

  test('tells what lies under the pointer, and shows the row of a point that is clicked', async () => {
    const { page } = analyst;
    await page.getByLabel('Fit to the points').uncheck();
    const at = (await page.evaluate(`(() => {
      const [, x, y] = /M([\\d.]+) ([\\d.]+)/.exec(document.querySelector('.pa-points path').getAttribute('d'));
      const point = new DOMPoint(+x, +y).matrixTransform(document.querySelector('.pa-drawing').getScreenCTM());
      return [point.x, point.y];
    })()`)) as [number, number];
    await page.mouse.move(...at);
    const title = (await page.textContent('.pa-tip strong')) ?? '';
    expect(await page.textContent('.pa-tip')).toMatch(/domain: \S+/);
    await page.mouse.click(...at);
    expect(await page.locator('.pa-card dt').first().textContent()).toBe('title');
    expect(await page.locator('.pa-card dd').first().textContent()).toBe(title);
    expect(await page.locator('.pa-chosen').count()).toBe(1);
    await page.getByRole('button', { name: 'Show in the table' }).click();
    const marked = page.locator('.pa-table tr[aria-current]');
    expect(await marked.locator('td').first().textContent()).toBe(title);
    expect(await marked.isVisible()).toBe(true);
  });

  test('goes from point to point by keyboard, and draws the coasts of the départements overseas', async () => {
    const { page } = analyst;
    await analyst.view('Map');
    await page.waitForSelector('.pa-drawing');
    const place = () => page.textContent('.pa-steps span');
    const before = await place();
    await page.getByRole('button', { name: 'Next point' }).focus();
    await page.keyboard.press('Enter');
    expect(await place()).not.toBe(before);
    await page.getByRole('button', { name: 'Previous point' }).press('Enter');
    expect(await place()).toBe(before);
    expect(before).toMatch(/^\d+ of \d+$/);
    const overseas = page.locator('.pa-outlines g');
    expect(await overseas.locator('text').allTextContents()).toEqual([
      ...['Guadeloupe', 'Martinique', 'Guyane', 'La Réunion', 'Mayotte'],
    ]);
    for (const path of await overseas.locator('path').all()) {
      expect((await path.getAttribute('d'))?.match(/L/g)?.length).toBeGreaterThan(30);
    }
  });

  test('tells what the answer cost: plan, calls, quota, and the totals of the status line', async () => {
    const { page } = analyst;
    await analyst.view('Trace');
    const trace = (await page.textContent('.pa-trace')) ?? '';
    expect(trace).toContain('missions.nodes.@');
    expect(trace).toMatch(/volunteering: \d+ of \d+ left, anew in \d+ s/);
    const [, made] = /· (\d+) upstream calls/.exec(await analyst.status()) ?? [];
    expect(trace).toContain(`Calls made${made}`);
    const group = page.getByRole('button', { name: /^\+ \d+$/ });
    const before = await page.locator('.pa-calls tbody tr').count();
    await group.click();
    expect(await page.locator('.pa-calls tbody tr').count()).toBeGreaterThan(before + 20);
  });

  describe.each(['light', 'dark'] as const)(
    'breaks no rule of accessibility, beyond stock GraphiQL, %s',
    (colorScheme) => {
      beforeAll(() => analyst.page.emulateMedia({ colorScheme }));
      afterAll(() => analyst.page.emulateMedia({ colorScheme: 'light' }));

      test.each(['JSON', 'Table', 'Map', 'Trace'] as const)('in %s', async (view) => {
        await analyst.view(view);
        await analyst.page.mouse.move(0, 0);
        expect(
          await analyst.brokenRules(view === 'JSON' && colorScheme === 'light' ? 'body' : '.graphiql-response'),
        ).toEqual([]);
      });

      test.each(['Documentation Explorer', 'History', 'Sources', 'Find a field'])('in %s', async (panel) => {
        const { page } = analyst;
        await page.getByRole('button', { name: `Show ${panel}` }).click();
        if (panel === 'Find a field') await page.getByLabel('Word').fill('SIRET');
        if (panel === 'Sources') await page.waitForSelector('.pa-figures');
        expect(await analyst.brokenRules('.graphiql-plugin')).toEqual([]);
        await page.getByRole('button', { name: `Hide ${panel}` }).click();
      });
    },
  );

  test('follows the system into the dark and back, the editor too', async () => {
    const { page } = analyst;
    const keyword = () =>
      page.evaluate(`getComputedStyle(document.querySelector('.graphiql-query-editor .view-line span span')).color`);
    const background = () =>
      page.evaluate(`getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor`);
    const [light, dark] = ['rgb(0, 0, 255)', 'rgb(86, 156, 214)'];
    await soon(keyword).toBe(light);
    const paper = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    await soon(keyword).toBe(dark);
    expect(await background()).not.toBe(paper);
    await page.emulateMedia({ colorScheme: 'light' });
    await soon(keyword).toBe(light);
  });

  test('lets pointer and arrow keys move the bar between the panes', async () => {
    const { page } = analyst;
    const bar = page.getByRole('separator').last();
    const place = async () => (await bar.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const before = await place();
    const [x, y] = [before.x + before.width / 2, before.y + before.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 150, y);
    await page.mouse.up();
    expect((await place()).x - before.x).toBeCloseTo(150, -1);
    const share = Number(await bar.getAttribute('aria-valuenow'));
    await bar.press('ArrowLeft');
    await bar.press('ArrowLeft');
    expect((await place()).x - before.x).toBeCloseTo(70, -1);
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBeLessThan(share + 12);
    await page.mouse.dblclick(before.x + 70 + before.width / 2, y);
    expect((await place()).x).toBeCloseTo(before.x, -1);
  });

  test('moves between the tabs of the answer by arrow keys, and leaves the editor by Tab', async () => {
    const { page } = analyst;
    await page.focus('#pa-tab-Trace');
    await page.keyboard.press('ArrowRight');
    expect(await page.getAttribute('#pa-tab-JSON', 'aria-selected')).toBe('true');
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.press('Tab');
    const inside = await page.evaluate(`document.activeElement.closest('.monaco-editor') !== null`);
    expect(inside).toBe(false);
  });

  test('keeps the answer of each tab', async () => {
    const { page } = analyst;
    await page.getByRole('tab', { name: 'MissionsNearACommune' }).click();
    await analyst.view('Table');
    expect(await page.textContent('.pa-body')).toContain('No answer yet');
    await analyst.run();
    expect(await page.locator('.pa-table caption').textContent()).toContain('commune.missions.edges[]');
    expect(await page.locator('.pa-table th').first().textContent()).toBe('commune/nom');
    await page.getByRole('tab', { name: 'MissionsAndTheirCommunes' }).click();
    expect(await page.locator('.pa-table caption').textContent()).toContain('missions.nodes[]');
  });

  test('opens each example in a tab of its own', async () => {
    const { page } = analyst;
    await page.getByRole('button', { name: 'Examples' }).click();
    expect(await page.getByRole('menuitem').count()).toBeGreaterThanOrEqual(10);
    await page.getByRole('menuitem', { name: 'All missions of a department, as a table' }).click();
    await soon(() => page.textContent('.graphiql-editor-tool .view-lines')).toContain('Seine-Maritime');
    await analyst.run();
  });

  test('follows all pages to the end, says before what that costs, and stops at a cap', async () => {
    const { page } = analyst;
    await analyst.view('Table');
    expect(await page.locator('.pa-table caption').textContent()).toBe('100 rows of missions.nodes[]');
    await page.getByRole('button', { name: 'All pages' }).click();
    const said = (await page.textContent('.pa-paging')) ?? '';
    expect(said).toMatch(/1 more page\..*volunteering 1 call;/);
    await soon(() => page.textContent('.pa-paging')).toMatch(/\d+ of \d+ are left, anew in \d+ s\./);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await soon(() => analyst.status()).toMatch(/all \d+ rows/);
    const [, rows] = /all (\d+) rows/.exec(await analyst.status()) ?? [];
    expect(Number(rows)).toBeGreaterThan(100);
    expect(await page.locator('.pa-table caption').textContent()).toBe(`${rows} rows of missions.nodes[]`);
    await analyst.run();
    await page.getByRole('button', { name: 'All pages' }).click();
    await page.getByLabel('at most').fill('101');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await soon(() => analyst.status()).toContain('stopped at 101 rows');
  });

  test('waits for a quota that is spent, goes on by itself, and can be left while it waits', async () => {
    const { page } = analyst;
    let refusals = 1;
    let retryAfterSeconds = 1;
    await page.route('**/graphql', (route) => {
      if (refusals === 0 || !route.request().postData()?.includes('"after":"')) return route.continue();
      refusals -= 1;
      const extensions = { code: 'RATE_LIMITED', service: 'volunteering', retryAfterSeconds };
      return route.fulfill({ json: { data: null, errors: [{ message: 'Spent.', extensions }] } });
    });
    const start = async () => {
      await analyst.run();
      await page.getByRole('button', { name: 'All pages' }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
    };
    await start();
    await soon(() => analyst.status()).toMatch(/all \d+ rows/);
    expect(refusals).toBe(0);
    [refusals, retryAfterSeconds] = [1, 600];
    await start();
    await soon(() => page.textContent('.pa-following')).toContain('volunteering allows no more calls for 10 min');
    // It goes on behind another form of the answer.
    await analyst.view('Trace');
    await analyst.view('Table');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await soon(() => analyst.status()).toContain('cancelled after 100 rows');
    await page.unroute('**/graphql');
  });

  test('says why it cannot follow the pages below a list', async () => {
    const { page } = analyst;
    await analyst.write(
      '{ communes(code: "76600") { nom missions(first: 1, radius: 50) { pageInfo { hasNextPage endCursor } nodes { title } } } }',
    );
    await analyst.run();
    await page.getByLabel('List').selectOption('communes[].missions.nodes[]');
    await page.getByRole('button', { name: 'All pages' }).click();
    await soon(() => page.textContent('.pa-paging')).toContain('Each row of communes has pages of its own of missions');
  });

  test('shows the extensions of the answer on demand', async () => {
    const { page } = analyst;
    await analyst.write('{ commune(insee: "76540") { nom } }');
    await analyst.run();
    await analyst.view('JSON');
    await soon(() => page.textContent('.result-window')).toContain('Rouen');
    expect(await page.textContent('.result-window')).not.toContain('passerelle');
    await page.getByLabel('with extensions').check();
    await soon(() => page.textContent('.result-window')).toContain('passerelle');
    await page.getByLabel('with extensions').uncheck();
    await soon(() => page.textContent('.result-window')).not.toContain('passerelle');
  });

  test('shares a question by a link, which carries no key, and opens it in a fresh profile', async () => {
    const { page } = analyst;
    await page.getByRole('button', { name: 'Show Sources' }).click();
    await page.getByLabel('work-study').fill(stack.sandbox.keys.workStudy.alice);
    await analyst.write('query Départ { commune(insee: "76540") { nom } }'.replace('Départ', 'Shared'), { note: 'é' });
    await page.getByRole('button', { name: 'Copy a link to this question' }).click();
    await soon(() => analyst.status()).toContain('Link copied');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(Buffer.from(link.slice(link.indexOf('#q=') + 3), 'base64url').toString()).not.toContain('alice');
    const fresh = await chromium.freshContext();
    const other = await openAnalyst(fresh, link);
    expect(await other.page.textContent('.graphiql-tab-active')).toContain('Shared');
    expect(await other.page.textContent('.graphiql-editor-tool .view-lines')).toContain('é');
    expect(new URL(other.page.url()).hash).toBe('');
    await other.page.reload();
    await other.page.waitForSelector('.graphiql-tab-active');
    expect(await other.page.locator('.graphiql-tab').count()).toBe(3);
    await fresh.close();
  });

  test('sends own keys to the gateway, and keeps them nowhere', async () => {
    const { page } = analyst;
    const key = stack.sandbox.keys.workStudy.alice;
    const sent = page.waitForRequest((request) => request.url().endsWith('/graphql'));
    await analyst.run();
    expect((await sent).headers()['x-work-study-key']).toBe(key);
    const stored = await page.evaluate(
      'JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie',
    );
    expect(stored).not.toContain(key);
  });

  test('names the source of a gap and the rows that lack something', async () => {
    await analyst.write('{ a: commune(insee: "76540") { nom } viewer { name } b: commune(insee: "9999") { nom } }');
    await analyst.run();
    const banner = (await analyst.page.textContent('.pa-banner')) ?? '';
    expect(banner).toContain('waste-identity: CREDENTIALS_REQUIRED. Missing: viewer.');
    expect(banner).toContain('BAD_USER_INPUT');
  });

  test('completes names, underlines mistakes, runs by Ctrl-Enter, makes pretty', async () => {
    const { page } = analyst;
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{ comm');
    await page.keyboard.press('Control+Space');
    await page.waitForSelector('.suggest-widget .monaco-list-row');
    await soon(() => page.textContent('.suggest-widget')).toContain('commune');
    await page.keyboard.press('Escape');
    await analyst.write('{ communes(code: "27620") { nom nothing } }');
    await page.waitForSelector('.graphiql-query-editor .squiggly-error');
    await analyst.write('{ communes(code: "27620") { nom } }');
    await page.keyboard.press('Control+Enter');
    await soon(() => analyst.status()).toMatch(/^HTTP 200/);
    await page.getByRole('button', { name: /Prettify/ }).click();
    await soon(() => page.locator('.graphiql-query-editor .view-line').count()).toBeGreaterThan(3);
  });

  test('opens explorer, docs and history', async () => {
    const { page } = analyst;
    for (const [button, text] of [
      ['Show GraphiQL Explorer', 'communes'],
      ['Show Documentation Explorer', 'Query'],
      ['Show History', 'MissionsOfADepartment'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await soon(() => page.textContent('.graphiql-plugin')).toContain(text);
    }
  });

  test('finds SIRET, with every way to it, and asks for one with a click', async () => {
    const { page } = analyst;
    await page.getByRole('button', { name: 'Show Find a field' }).click();
    await page.getByLabel('Word').fill('SIRET');
    await soon(() => page.textContent('.pa-found')).toContain('missions.nodes.organization.siret');
    expect(await page.textContent('.pa-found')).toContain('viewer.companies.siret');
    const ways = page.locator('.pa-found > li', { hasText: 'Organization.siret:' }).locator('li');
    const more = ways.getByRole('button', { name: / more ways$/ });
    const shown = (await ways.count()) - 1;
    const hidden = Number.parseInt((await more.textContent()) ?? '', 10);
    await more.click();
    expect(await ways.count()).toBe(shown + hidden);
    await page.getByRole('button', { name: 'missions.nodes.organization.siret', exact: true }).click();
    await soon(() => page.textContent('.graphiql-query-editor .view-lines')).toMatch(
      /missions.*nodes.*organization.*siret/s,
    );
    await soon(() => page.textContent('.pa-status')).toBe('');
  });

  describe('stops a question for good: the request ends, and so do the calls for it', () => {
    let release: () => void;
    beforeAll(() => {
      release = stack.sandbox.volunteering.fault({ kind: 'latency', ms: 20_000 });
    });
    afterAll(() => release());

    /** Asks for missions that nobody asked for, does something while they are on their way, and sees the call end. */
    async function asking(text: string, act: () => Promise<void>): Promise<void> {
      const { page } = analyst;
      const call = (isOver: boolean) =>
        stack.sandbox.volunteering.seen(({ url, aborted }) => url.includes(text) && aborted === isOver);
      await analyst.write(`query Stopped { missions(city: "${text}") { nodes { title } } }`);
      const failed = page.waitForEvent('requestfailed');
      await page.click('.graphiql-execute-button');
      await call(false);
      await act();
      expect((await failed).failure()?.errorText).toContain('ERR_ABORTED');
      await call(true);
    }

    test('by the button', async () => {
      await asking('berger', () => analyst.page.click('[aria-label^="Stop"]'));
      await soon(() => analyst.status()).toBe('');
    });

    test('by turning to another tab, which shows nothing of it', async () => {
      const { page } = analyst;
      const other = page.getByRole('tab', { name: 'MissionsAndTheirCommunes' });
      await asking('tambour', () => other.click());
      await soon(() => analyst.status()).not.toContain('Asking');
      await page.getByRole('tab', { name: 'Stopped' }).click();
      await soon(() => analyst.status()).toBe('');
    });
  });

  test('shows how the sources are and what is left of the quotas, now', async () => {
    const { page } = analyst;
    await page.getByRole('button', { name: 'Show Sources' }).click();
    const source = (name: string) => page.locator('.pa-sources > li', { hasText: name });
    await soon(() => source('volunteering').textContent()).toMatch(/UP the real service.*: \d+ of 600 left/);
    expect(await source('volunteering').textContent()).toMatch(/Calls ?let through/);
    expect(await source('volunteering').textContent()).toMatch(/From the cache ?\d+ %, last ten minutes/);
    expect(await source('work-study').textContent()).toMatch(/Reference data ?\d+ (s|min) old/);
    expect(await source('work-study').textContent()).toMatch(/Export of ?(not loaded yet|\d{4}-\d\d-\d\d)/);
    expect(await source('waste-identity').textContent()).toMatch(/Quota ?not told yet/);
    expect(await source('waste-identity').textContent()).toMatch(/Not as documented ?0 values/);
    const left = async () => Number(/(\d+) of 600/.exec((await source('volunteering').textContent()) ?? '')?.[1]);
    const before = await left();
    // Somebody else spends of it; whoever looks again sees it.
    await stack.ask('{ missions(first: 1, city: "poterie") { nodes { id } } }');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await soon(left).toBeLessThan(before);
  });

  test('tells a gateway without login from one that cannot say now', async () => {
    const { page } = analyst;
    for (const [status, words] of [
      [404, 'This gateway has no login'],
      [503, 'not known: The gateway cannot reach its sessions'],
      [null, 'not known: The gateway does not answer'],
    ] as const) {
      await page.route('**/auth/session', (route) => (status === null ? route.abort() : route.fulfill({ status })));
      await page.getByRole('button', { name: 'Ask again' }).click();
      await soon(() => page.textContent('.pa-panel')).toContain(words);
      await page.unroute('**/auth/session');
    }
    await page.getByRole('button', { name: 'Hide Sources' }).click();
  });

  test('says when nothing comes back, and shows a link that it cannot copy', async () => {
    const { page } = analyst;
    await page.route('**/graphql', (route) => route.abort());
    await page.click('.graphiql-execute-button');
    await soon(() => analyst.status()).toMatch(/^No answer: /);
    await page.unroute('**/graphql');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not here"))');
    const shown = new Promise<string>((resolve) => {
      page.once('dialog', async (dialog) => {
        resolve(dialog.defaultValue());
        await dialog.dismiss();
      });
    });
    await page.getByRole('button', { name: 'Copy a link to this question' }).click();
    expect(await shown).toMatch(new RegExp(`^${stack.url}/graphiql#q=`));
    await page.evaluate('delete navigator.clipboard.writeText');
    await analyst.run();
    await soon(() => analyst.status()).not.toContain('No answer');
  });

  test('connects to the waste platform and lets go of it', async () => {
    const { page } = analyst;
    stack.sandbox.waste.registerRedirectUri(`${stack.url}/auth/waste/callback`);
    const [user] = stack.sandbox.world.wasteUsers;
    if (user === undefined) throw new Error('The world has no waste user.');
    await analyst.write('query Mine { viewer { name } }', { kept: 'é' });
    await soon(() => page.evaluate('localStorage.getItem("graphiql:tabState")')).toContain('query Mine');
    await page.getByRole('button', { name: 'Show Sources' }).click();
    const leaving = page.waitForRequest('**/auth/waste/login?*');
    await page.getByRole('link', { name: 'Connect' }).click();
    // On this machine the login may end at another name of it, where the browser keeps other tabs.
    const wayBack = new URL((await leaving).url()).searchParams.get('returnTo') ?? '';
    expect(Buffer.from(wayBack.replace('/graphiql#q=', ''), 'base64url').toString()).toContain('query Mine');
    await page.fill('input[name=email]', user.email);
    await page.fill('input[name=password]', user.password);
    await page.click('button[type=submit]');
    await page.click('button:not([name])');
    await page.waitForURL((address) => address.href.startsWith(`${stack.url}/graphiql`));
    await editorReady(page);
    // The panel that was open is open again.
    await soon(() => page.textContent('.pa-panel')).toContain(`Connected as ${user.name}`);
    // The question is still in front, once.
    expect(await page.getByRole('tab', { name: 'Mine' }).count()).toBe(1);
    await soon(() => page.textContent('.graphiql-tab-active')).toContain('Mine');
    await soon(() => page.textContent('.graphiql-editor-tool .view-lines')).toContain('é');
    await analyst.write('query Mine { viewer { name } }');
    await analyst.run();
    await analyst.view('Table');
    expect((await drawnRows(page)).flat()).toContain(user.name);
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await soon(() => page.textContent('.pa-panel')).toContain('Nobody is connected');
  });

  test('broke no rule of its policy, called no other origin and made no mistake in all of this', async () => {
    expect(await analyst.violations()).toEqual([]);
    expect(analyst.offences).toEqual([]);
  });
});

describe('Large answers', () => {
  const rows = (count: number, text: string) =>
    Array.from({ length: count }, (_, index) => ({
      id: String(index),
      title: `${text} ${index}`,
      location: { lon: -4 + (index % 97) / 8, lat: 43 + (index % 61) / 8 },
    }));

  let large: Analyst;
  let body = '';
  beforeAll(async () => {
    large = await openAnalyst(chromium.context, `${stack.url}/graphiql`);
    await large.write('{ missions { nodes { id title location { lon lat } } } }');
    await large.page.route('**/graphql', (route) => route.fulfill({ contentType: 'application/json', body }));
  });
  afterAll(() => large.page.close());

  test('of 8,602 rows are a table within a second, and a map within another', async () => {
    body = JSON.stringify({ data: { missions: { nodes: rows(8602, 'Mission') } } });
    const { page } = large;
    await large.run();
    const drawn = (view: 'Table' | 'Map', place: string) => async () => {
      await large.view(view);
      await page.locator(place).first().waitFor({ state: 'attached' });
    };
    expect(await worked(page, drawn('Table', '.pa-table tbody tr'))).toBeLessThan(1000);
    expect(await page.locator('.pa-table caption').textContent()).toBe('8,602 rows of missions.nodes[]');
    expect(await page.locator('.pa-table tbody tr').count()).toBe(100);
    expect(await worked(page, drawn('Map', '.pa-points path'))).toBeLessThan(1000);
    expect(await page.textContent('.pa-note')).toContain('8,602 points');
  });

  test('of 14 MB stay out of the editor, and the page stays quick', async () => {
    body = JSON.stringify({ data: { missions: { nodes: rows(32_000, 'x'.repeat(400)) } } });
    const { page } = large;
    await large.view('JSON');
    // Filling the editor with it would take more than that, and a gigabyte.
    expect(await worked(page, large.run)).toBeLessThan(2500);
    expect(await large.status()).toMatch(/1[4-5]\.\d MB/);
    await soon(() => page.textContent('.result-window')).toMatch(/MB.of.JSON.are.too/);
    await large.view('Table');
    await page.waitForSelector('.pa-table tbody tr');
    expect(await page.locator('.pa-table caption').textContent()).toContain('32,000 rows');
  });
});

describe('The home', () => {
  test('tells the sources and leads into the page with one click', async () => {
    const page = await chromium.context.newPage();
    await page.goto(stack.url);
    await soon(() => page.locator('.state').allTextContents()).toEqual(['UP', 'UP', 'UP']);
    const links = page.locator('a[href^="/graphiql#example="]');
    expect(await links.count()).toBe(3);
    expect(await page.textContent('pre')).toContain(`curl ${stack.url}/graphql`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await brokenRules(page), colorScheme).toEqual([]);
    }
    await links.first().click();
    await editorReady(page);
    await soon(() => page.textContent('.graphiql-tab-active')).toContain('Missions');
    await page.close();
  });
});

describe('Where the page was not built', () => {
  test('a plain page asks, and shows the answer and what it cost', async () => {
    const server = createHttpServer({ requestDeadlineMs: 25_000, log: createMemoryLog() });
    await servePages(server, null);
    const { url } = await listen(server, '127.0.0.1', 0);
    // Without the cookies of the other tests: ports share them.
    const fresh = await chromium.freshContext();
    const page = await fresh.newPage();
    const failures: string[] = [];
    page.on('pageerror', ({ message }) => failures.push(message));
    page.on('console', (line) => line.type() === 'error' && failures.push(line.text()));
    await page.route('**/graphql', async (route) => {
      await route.fulfill({ response: await route.fetch({ url: `${stack.url}/graphql` }) });
    });
    await page.goto(`${url}/graphiql/`);
    await page.getByLabel('Query').fill('{ commune(insee: "76540") { nom } }');
    await page.keyboard.press('Control+Enter');
    await soon(() => page.textContent('#status')).toMatch(/^Status 200 after \d+ ms\. \d+ calls made/);
    expect(await page.inputValue('#answer')).toContain('Rouen');
    expect(await brokenRules(page)).toEqual([]);
    expect(failures).toEqual([]);
    await fresh.close();
    await server.close();
  });
});

/** What becomes so within ten seconds, on a machine that does other things as well. */
function soon<T>(value: () => T | Promise<T>) {
  return expect.poll(value, { timeout: 10_000 });
}

/** Milliseconds of work that something costs the page: its thread's own time, whatever else runs on the machine. */
async function worked(page: Page, act: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const soFar = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const before = await soFar();
  await act();
  const ms = (await soFar()) - before;
  await session.detach();
  return ms;
}

async function downloaded(button: string): Promise<{ name: string; bytes: Buffer }> {
  const waiting: Promise<Download> = analyst.page.waitForEvent('download');
  await analyst.page.getByRole('button', { name: button, exact: true }).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}
