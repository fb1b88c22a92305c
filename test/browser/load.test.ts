import { beforeAll, describe, expect, test } from 'vitest';
import { brokenRules, openAnalyst } from './analyst.js';
import { type Browsing, browsing, eventually } from './browsing.js';

let used: Browsing;
beforeAll(async () => {
  used = await browsing();
});

describe('What is loaded', () => {
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
