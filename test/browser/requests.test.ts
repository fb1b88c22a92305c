import type { Request } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { drawnRows } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';
import { press } from './download.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

describe('A query on the page', () => {
  test('shares a query by a link, which carries no key', async () => {
    const { page } = used.analyst;
    await page.getByRole('button', { name: 'Sources' }).click();
    await page.getByLabel('work-study').fill(used.stack.sandbox.keys.workStudy.alice);
    await page.keyboard.press('Escape');
    await used.analyst.run('query Départ { commune(insee: "76540") { nom } }'.replace('Départ', 'Shared'), {
      note: 'é',
    });
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
    test('by the button', async () => {
      const { page } = used.analyst;
      const { volunteering } = used.stack.sandbox;
      onTestFinished(volunteering.fault({ kind: 'latency', ms: 20_000 }));
      const call = (isOver: boolean) =>
        volunteering.seen(({ url, aborted }) => url.includes('berger') && aborted === isOver);
      await used.analyst.write('query Stopped { missions(city: "berger") { nodes { title } } }');
      const failed = page.waitForEvent('requestfailed');
      await page.click('.graphiql-execute-button');
      await call(false);
      await page.click('[aria-label^="Stop"]');
      expect((await failed).failure()?.errorText).toContain('ERR_ABORTED');
      await call(true);
      await eventually(() => used.analyst.status()).toContain('Stopped.');
    });
  });

  test('keeps the response before where the next one is stopped or never comes, and says so', async () => {
    const { page } = used.analyst;
    await used.analyst.run('query Kept { commune(insee: "76540") { nom } }');
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

  testThatNothingWasBroken(used);
});
