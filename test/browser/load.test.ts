import { beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { brokenRules, COLOUR_RULES, editorReady, openAnalyst } from './analyst.js';
import { type Browsing, browsing, eventually } from './browsing.js';

/** Maximum bytes over the wire for a cold first load of questions; the schema is data and does not count. */
const FIRST_LOAD_BYTES = 450_000;

let used: Browsing;
beforeAll(async () => {
  used = await browsing();
});

describe('What is loaded', () => {
  test.runIf(IS_LONG)('is small, from its own origin alone, without the editor and the map', async () => {
    const fresh = await used.chromium.freshContext();
    const page = await fresh.newPage();
    const wire = await fresh.newCDPSession(page);
    let bytes = 0;
    const paths: string[] = [];
    const responses = new Set<string>();
    await wire.send('Network.enable');
    wire.on('Network.requestWillBeSent', ({ requestId, request }) => {
      const { pathname, origin } = new URL(request.url);
      expect(origin).toBe(used.stack.url);
      if (pathname === '/graphql') responses.add(requestId);
      else paths.push(pathname);
    });
    wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (!responses.has(requestId)) bytes += encodedDataLength;
    });
    await page.goto(`${used.stack.url}/graphiql`);
    await page.waitForSelector('.pa-subjects');
    await page.waitForLoadState('networkidle');
    console.log(`the first load of questions: ${bytes} bytes`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
    expect(paths.filter((path) => /monaco|graphiql-|leaflet|map-view/.test(path.replace('/graphiql/', '')))).toEqual(
      [],
    );
    await page.keyboard.press('F2');
    await editorReady(page);
    await eventually(() => page.workers().length).toBeGreaterThan(0);
    await fresh.close();
  });

  test('sends hashed files to be kept, compressed before, under the policy', async () => {
    const html = await fetch(`${used.stack.url}/graphiql`);
    expect(html.headers.get('cache-control')).toBe('no-cache');
    const policy = html.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe-eval|blob:|https?:|script-src[^;]*unsafe|style-src '[^;]*unsafe/);
    const [, script = ''] = /src="([^"]+\.js)"/.exec(await html.text()) ?? [];
    const file = await fetch(`${used.stack.url}${script}`, { headers: { 'accept-encoding': 'br' } });
    expect(file.headers.get('content-encoding')).toBe('br');
    expect(file.headers.get('cache-control')).toMatch(/max-age=31536000.*immutable/);
    expect(file.headers.get('content-security-policy')).toBe(policy);
    expect(await file.text()).not.toMatch(/new Function\(|[^\w.]eval\(/);
    const slash = await fetch(`${used.stack.url}/graphiql/`, { redirect: 'manual' });
    expect([slash.status, slash.headers.get('location')]).toEqual([308, '/graphiql']);
    for (const path of ['/graphiql/assets/none.js', '/graphiql/assets/..%2findex.html', '/graphiql/.built']) {
      expect((await fetch(`${used.stack.url}${path}`)).status).toBe(404);
    }
  });
});

test('Where the page was not built, a form runs a query under the policy of the home page', async () => {
  const context = await used.chromium.freshContext();
  // What the gateway then serves there: test/web/page-language.
  await context.route('**/graphiql', async (route) =>
    route.fulfill({ response: await route.fetch({ url: used.stack.url }) }),
  );
  const { page, violations, offences } = await openAnalyst(context, `${used.stack.url}/graphiql`);
  await page.fill('textarea', '{ commune(insee: "76540") { nom } }');
  await page.click('#plain button');
  await eventually(() => page.textContent('#plain pre')).toContain('"nom": "Rouen"');
  expect(await brokenRules(page)).toEqual([]);
  expect([await violations(), offences]).toEqual([[], []]);
  await page.goto(used.stack.url);
  expect(await page.isVisible('#plain')).toBe(false);
  await context.close();
});

describe.runIf(IS_LONG)('The home', () => {
  // Where its links lead: test/browser/question.
  test('tells the sources and has questions', async () => {
    const page = await used.chromium.context.newPage();
    await page.goto(used.stack.url);
    await eventually(() => page.locator('.state').allTextContents()).toEqual(['UP', 'UP', 'UP']);
    expect(await page.locator('a[href^="/graphiql#ask="]').count()).toBe(3);
    expect(await page.textContent('pre code')).toContain(`curl ${used.stack.url}/graphql`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const rules = colorScheme === 'dark' ? COLOUR_RULES : undefined;
      expect(await brokenRules(page, 'body', rules), colorScheme).toEqual([]);
    }
    await page.close();
  });
});
