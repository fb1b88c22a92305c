import { beforeAll, describe, expect, test } from 'vitest';
import { brokenRules, COLOUR_RULES, editorReady } from '../../test/browser/analyst.js';
import { type Browsing, browsing, eventually } from '../../test/browser/browsing.js';

/** Maximum bytes over the wire for a cold first load of questions; the schema is data and does not count. */
const FIRST_LOAD_BYTES = 450_000;

let used: Browsing;
beforeAll(async () => {
  used = await browsing();
});

describe('What is loaded', () => {
  test('is small, from its own origin alone, without the editor and the map', async () => {
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
});

describe('The home', () => {
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
