import { beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer, listen } from '../../gateway/endpoint/listener.js';
import { servePages } from '../../gateway/pages/pages.js';
import { IS_LONG } from '../runs.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { brokenRules, COLOUR_RULES, editorReady } from './analyst.js';
import { type Browsing, browsing, eventually } from './browsing.js';

/** Maximum bytes over the wire for a cold first load, workers included; the schema is data and does not count. */
const FIRST_LOAD_BYTES = 1_270_000;

let used: Browsing;
beforeAll(async () => {
  used = await browsing();
});

describe('What is loaded', () => {
  test.runIf(IS_LONG)(
    'loads from its own origin alone, small, with three workers and two examples, the first with its variables',
    async () => {
      const fresh = await used.chromium.freshContext();
      const page = await fresh.newPage();
      const wire = await fresh.newCDPSession(page);
      let bytes = 0;
      const responses = new Set<string>();
      const open = new Map<string, string>();
      await wire.send('Network.enable');
      wire.on('Network.requestWillBeSent', ({ requestId, request }) => {
        open.set(requestId, request.url);
        if (new URL(request.url).pathname === '/graphql') responses.add(requestId);
      });
      wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        open.delete(requestId);
        if (!responses.has(requestId)) bytes += encodedDataLength;
      });
      await page.goto(`${used.stack.url}/graphiql`);
      await editorReady(page);
      expect(await page.locator('.graphiql-tab').allTextContents()).toEqual([
        expect.stringContaining('MissionsAndTheirCommunes'),
        expect.stringContaining('MissionsNearACommune'),
      ]);
      await eventually(() => page.textContent('.graphiql-editor-tool .view-lines')).toContain('first');
      await eventually(() => page.workers().length).toBe(3);
      // The page's network events show neither what workers load nor when a worker's script has arrived.
      const workers = page.workers().map((worker) => worker.url());
      await eventually(() => [...open.values()].filter((url) => !workers.includes(url))).toEqual([]);
      for (const worker of workers) {
        const { headers } = await fetch(worker, { headers: { 'accept-encoding': 'br' } });
        expect(headers.get('content-encoding')).toBe('br');
        bytes += Number(headers.get('content-length'));
      }
      expect(bytes).toBeGreaterThan(500_000);
      expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
      await fresh.close();
    },
  );

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

describe.runIf(IS_LONG)('The home', () => {
  // Where its links lead: test/browser/question.
  test('tells the sources and has questions', async () => {
    const page = await used.chromium.context.newPage();
    await page.goto(used.stack.url);
    await eventually(() => page.locator('.state').allTextContents()).toEqual(['UP', 'UP', 'UP']);
    expect(await page.locator('a[href^="/graphiql#example="]').count()).toBe(3);
    expect(await page.textContent('pre')).toContain(`curl ${used.stack.url}/graphql`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const rules = colorScheme === 'dark' ? COLOUR_RULES : undefined;
      expect(await brokenRules(page, 'body', rules), colorScheme).toEqual([]);
    }
    await page.close();
  });
});

describe.runIf(IS_LONG)('Where the page was not built', () => {
  test('a plain page asks, and shows the response and what it cost', async () => {
    const server = createHttpServer({
      requestDeadlineMs: 25_000,
      fastPath: null,
      log: createMemoryLog(),
      phase: () => 'ready',
    });
    await servePages(server, null, null);
    const { url } = await listen(server, '127.0.0.1', 0);
    // Without the cookies of other tests, which all ports share.
    const fresh = await used.chromium.freshContext();
    const page = await fresh.newPage();
    const failures: string[] = [];
    page.on('pageerror', ({ message }) => failures.push(message));
    page.on('console', (line) => line.type() === 'error' && failures.push(line.text()));
    await page.route('**/graphql', async (route) => {
      await route.fulfill({ response: await route.fetch({ url: `${used.stack.url}/graphql` }) });
    });
    await page.goto(`${url}/graphiql/`);
    await page.getByRole('textbox', { name: 'Query' }).fill('{ commune(insee: "76540") { nom } }');
    await page.keyboard.press('Control+Enter');
    await eventually(() => page.textContent('#status')).toMatch(/^Status 200 after \d+ ms\. \d+ calls made/);
    expect(await page.inputValue('#response')).toContain('Rouen');
    expect(await brokenRules(page)).toEqual([]);
    expect(failures).toEqual([]);
    await fresh.close();
    await server.close();
  });
});
