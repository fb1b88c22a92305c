import type { Request } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';
import { press } from '../../test/browser/download.js';
import { plainMissions, the } from '../../test/scenarios/samples.js';

const used = openedAnalyst('#sample=missions-near-a-commune');

describe('A query on the page', () => {
  test('shows the extensions of the response on demand', async () => {
    const { page } = used.analyst;
    await used.analyst.run('{ commune(insee: "76540") { nom } }');
    await used.analyst.view('JSON');
    await eventually(() => page.textContent('.result-window')).toContain('Rouen');
    expect(await page.textContent('.result-window')).not.toContain('passerelle');
    await page.getByLabel('with extensions').check();
    await eventually(() => page.textContent('.result-window')).toContain('passerelle');
    await page.getByLabel('with extensions').uncheck();
    await eventually(() => page.textContent('.result-window')).not.toContain('passerelle');
  });

  test('shows what it would cost before it is run, in both languages, and makes no call for that', async () => {
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
  });

  describe('stops a query for good: the request ends, and so do the calls for it', () => {
    test('by turning to another tab, which shows nothing of it', async () => {
      const { page } = used.analyst;
      const { volunteering } = used.stack.sandbox;
      onTestFinished(volunteering.fault({ kind: 'latency', ms: 20_000 }));
      const call = (isOver: boolean) =>
        volunteering.seen(({ url, aborted }) => url.includes('tambour') && aborted === isOver);
      const tabs = page.locator('.graphiql-tab-button');
      await page.getByRole('button', { name: 'New tab' }).click();
      await used.analyst.write('query Stopped { missions(city: "tambour") { nodes { title } } }');
      const failed = page.waitForEvent('requestfailed');
      await page.click('.graphiql-execute-button');
      await call(false);
      await tabs.first().click();
      expect((await failed).failure()?.errorText).toContain('ERR_ABORTED');
      await call(true);
      await eventually(() => used.analyst.status()).not.toContain('Running');
      await tabs.last().click();
      await eventually(() => used.analyst.status()).toContain('Stopped.');
    });
  });

  test('says when nothing comes back, and shows a link that it cannot copy', async () => {
    const { page } = used.analyst;
    await used.analyst.run('query Kept { commune(insee: "76540") { nom } }');
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

  test('says why there is no data link to its rows, where the address would be too long', async () => {
    const { page } = used.analyst;
    await used.analyst.run(`{ communes(code: "76600") { nom } } # ${'x'.repeat(16_000)}`);
    await used.analyst.view('Table');
    await press(page, 'Copy data link');
    await eventually(() => used.analyst.status()).toMatch(/No data link: it would have 16,\d+ characters/);
  });

  testThatNothingWasBroken(used);
});
