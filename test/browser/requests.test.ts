import type { Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG } from '../runs.js';
import { plainMissions, the } from '../scenarios/samples.js';
import { drawnRows } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { press } from './download.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

describe('A query on the page', () => {
  test.runIf(IS_LONG)('shows the extensions of the response on demand', async () => {
    const { page } = used.analyst;
    await used.analyst.write('{ commune(insee: "76540") { nom } }');
    await used.analyst.run();
    await used.analyst.view('JSON');
    await eventually(() => page.textContent('.result-window')).toContain('Rouen');
    expect(await page.textContent('.result-window')).not.toContain('passerelle');
    await page.getByLabel('with extensions').check();
    await eventually(() => page.textContent('.result-window')).toContain('passerelle');
    await page.getByLabel('with extensions').uncheck();
    await eventually(() => page.textContent('.result-window')).not.toContain('passerelle');
  });

  test.runIf(IS_LONG)(
    'shows what it would cost before it is run, in both languages, and makes no call for that',
    async () => {
      const { page } = used.analyst;
      const dryRuns: string[] = [];
      const watch = (request: Request): void => {
        if (request.headers()['x-passerelle-dry-run'] === '1') dryRuns.push(request.postData() ?? '');
      };
      page.on('request', watch);
      const price = () => page.textContent('.pa-price');
      const responseTop = async () => (await page.locator('.pa-body').boundingBox())?.y;
      const [mission] = plainMissions(used.stack.sandbox.world).slice(-1);
      const query = `{ mission(id: "${the(mission).id}") { title commune { nom } organization { title } } }`;
      used.stack.forgetCalls();
      await used.analyst.write(query);
      await eventually(price).toBe('');
      const top = await responseTop();
      await eventually(price).toMatch(/^≤ 3 calls(, \d+ left)? \(3 calls \(2 volunteering, 1 work-study\)/);
      expect(await used.analyst.brokenRules('.pa-head')).toEqual([]);
      expect(used.stack.calls()).toEqual([]);
      await used.analyst.run();
      expect(used.stack.calls()).toHaveLength(3);
      await eventually(price).toMatch(/^No calls, everything is cached/);
      expect(await responseTop(), 'nothing moves when a price comes').toBe(top);
      await page.getByRole('button', { name: 'Français' }).click();
      await eventually(price).toMatch(/^Aucun appel, tout est en cache/);
      await page.getByRole('button', { name: 'English' }).click();

      const before = dryRuns.length;
      await used.analyst.write('mutation { generateAppointmentLink(input: { onisepId: "1" }) { __typename } }');
      await eventually(price).toBe('');
      await used.analyst.write(query.replace('title', 'id title'));
      await eventually(price).toMatch(/^No calls, everything is cached/);
      expect(dryRuns.slice(before).filter((body) => body.includes('mutation'))).toEqual([]);
      expect(used.stack.calls()).toHaveLength(3);
      page.off('request', watch);
    },
  );

  test('shares a query by a link, which carries no key', async () => {
    const { page } = used.analyst;
    await page.getByRole('button', { name: 'Sources' }).click();
    await page.getByLabel('work-study').fill(used.stack.sandbox.keys.workStudy.alice);
    await page.keyboard.press('Escape');
    await used.analyst.write('query Départ { commune(insee: "76540") { nom } }'.replace('Départ', 'Shared'), {
      note: 'é',
    });
    await used.analyst.run();
    await used.analyst.view('Table');
    await press(page, 'Copy a link to this page');
    await eventually(() => used.analyst.status()).toContain('Link copied');
    await page.getByRole('button', { name: 'Français' }).click();
    await page.getByRole('button', { name: 'English' }).click();
    expect(await used.analyst.status(), 'a notice outlasts another language').toContain('Link copied');
    const link = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const carried = Buffer.from(link.slice(link.indexOf('#q=') + 3), 'base64url').toString();
    expect(carried).not.toContain('alice');
    expect(carried).toContain('query Shared');
    expect(carried).toContain('é');
  });

  test('sends own keys to the gateway, and keeps them nowhere', async () => {
    const { page } = used.analyst;
    const key = used.stack.sandbox.keys.workStudy.alice;
    const sent = page.waitForRequest((request) => request.url().endsWith('/graphql'));
    await used.analyst.run();
    expect((await sent).headers()['x-work-study-key']).toBe(key);
    const stored = await page.evaluate(
      'JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie',
    );
    expect(stored).not.toContain(key);
    await page.getByRole('button', { name: 'Sources' }).click();
    await page.getByLabel('work-study').fill('');
    await page.keyboard.press('Escape');
  });

  test('sends the headers of its tab with all that follows from it too, and puts them into no link', async () => {
    const { page } = used.analyst;
    const sent: (string | undefined)[] = [];
    const watch = (request: Request): void => {
      if (/\/graphql(\?|$)/.test(request.url())) sent.push(request.headers()['x-project']);
    };
    await page.click('.graphiql-editor-tools [data-name="headers"]');
    await page.locator('.graphiql-editor-tool textarea').last().focus();
    await page.keyboard.press('Control+A');
    await page.evaluate(`navigator.clipboard.writeText('{ "x-project": "tide-tables" }')`);
    await page.keyboard.press('Control+V');
    page.on('request', watch);
    await page.focus('.graphiql-query-editor textarea');
    await page.keyboard.press('Control+A');
    await page.evaluate(
      `navigator.clipboard.writeText('{ missions(first: 100, department: "13") { totalCount pageInfo { hasNextPage endCursor } nodes { id } } }')`,
    );
    await page.keyboard.press('Control+V');
    await eventually(() => sent.length).toBeGreaterThan(0);
    await used.analyst.run();
    await used.analyst.view('Table');
    await page.getByRole('button', { name: 'All pages' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await eventually(() => used.analyst.status()).toMatch(/all \d+ rows/);
    page.off('request', watch);
    expect(sent.filter((one) => one === 'tide-tables').length).toBeGreaterThan(2);
    for (const link of ['Copy a link to this page', 'Copy data link']) {
      await page.evaluate(`navigator.clipboard.writeText('')`);
      await press(page, link);
      await eventually(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/^http/);
      const copied = String(await page.evaluate('navigator.clipboard.readText()'));
      const [, packed = ''] = /#q=([\w-]+)/.exec(copied) ?? [];
      expect(copied + Buffer.from(packed, 'base64url')).not.toMatch(/x-project|tide-tables/);
    }
    await page.locator('.graphiql-editor-tool textarea').last().focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.click('.graphiql-editor-tools [data-name="variables"]');
  });

  describe('stops a query for good: the request ends, and so do the calls for it', () => {
    let release: () => void;
    beforeAll(() => {
      release = used.stack.sandbox.volunteering.fault({ kind: 'latency', ms: 20_000 });
    });
    afterAll(() => release());

    /** Requests missions that are not cached, does something while the call is in flight, and sees the call end. */
    async function whilePending(text: string, act: () => Promise<void>): Promise<void> {
      const { page } = used.analyst;
      const call = (isOver: boolean) =>
        used.stack.sandbox.volunteering.seen(({ url, aborted }) => url.includes(text) && aborted === isOver);
      await used.analyst.write(`query Stopped { missions(city: "${text}") { nodes { title } } }`);
      const failed = page.waitForEvent('requestfailed');
      await page.click('.graphiql-execute-button');
      await call(false);
      await act();
      expect((await failed).failure()?.errorText).toContain('ERR_ABORTED');
      await call(true);
    }

    test('by the button', async () => {
      await whilePending('berger', () => used.analyst.page.click('[aria-label^="Stop"]'));
      await eventually(() => used.analyst.status()).toContain('Stopped.');
    });

    test.runIf(IS_LONG)('by turning to another tab, which shows nothing of it', async () => {
      const { page } = used.analyst;
      const tabs = page.locator('.graphiql-tab-button');
      await page.getByRole('button', { name: 'New tab' }).click();
      await whilePending('tambour', () => tabs.first().click());
      await eventually(() => used.analyst.status()).not.toContain('Running');
      await tabs.last().click();
      await eventually(() => used.analyst.status()).toContain('Stopped.');
    });
  });

  test('keeps the response before where the next one is stopped or never comes, and says so', async () => {
    const { page } = used.analyst;
    await used.analyst.write('query Kept { commune(insee: "76540") { nom } }');
    await used.analyst.run();
    await used.analyst.view('Table');
    expect(await drawnRows(page)).toEqual([['Rouen']]);
    await page.route('**/graphql', () => {});
    await page.click('.graphiql-execute-button');
    await eventually(() => page.locator('.pa-skeleton').count()).toBe(1);
    await page.click('[aria-label^="Stop"]');
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200 .* Stopped\. The previous response is shown\.$/);
    expect(await drawnRows(page)).toEqual([['Rouen']]);
    await page.unroute('**/graphql');
    await page.route('**/graphql', (route) => route.abort());
    await page.click('.graphiql-execute-button');
    await eventually(() => used.analyst.status()).toMatch(/^HTTP 200 .* No response: .* previous response is shown\.$/);
    expect(await drawnRows(page)).toEqual([['Rouen']]);
    await used.analyst.view('JSON');
    await eventually(() => page.textContent('.result-window')).toContain('Rouen');
    await page.unroute('**/graphql');
    await used.analyst.run();
    await eventually(() => used.analyst.status()).not.toContain('before');
  });

  test.runIf(IS_LONG)('says when nothing comes back, and shows a link that it cannot copy', async () => {
    const { page } = used.analyst;
    await used.analyst.view('Table');
    await page.route('**/graphql', (route) => route.abort());
    await page.click('.graphiql-execute-button');
    await eventually(() => used.analyst.status()).toContain('No response: ');
    await page.unroute('**/graphql');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("not here"))');
    const shown = new Promise<string>((resolve) => {
      page.once('dialog', async (dialog) => {
        resolve(dialog.defaultValue());
        await dialog.dismiss();
      });
    });
    await press(page, 'Copy a link to this page');
    expect(await shown).toMatch(new RegExp(`^${used.stack.url}/graphiql#q=`));
    await page.evaluate('delete navigator.clipboard.writeText');
    await used.analyst.run();
    await eventually(() => used.analyst.status()).not.toContain('No response');
  });

  test.runIf(IS_LONG)('says why there is no data link to its rows, where the address would be too long', async () => {
    const { page } = used.analyst;
    await used.analyst.write(`{ communes(code: "76600") { nom } } # ${'x'.repeat(16_000)}`);
    await used.analyst.run();
    await used.analyst.view('Table');
    await press(page, 'Copy data link');
    await eventually(() => used.analyst.status()).toMatch(/No data link: it would have 16,\d+ characters/);
  });

  testThatNothingWasBroken(used);
});
