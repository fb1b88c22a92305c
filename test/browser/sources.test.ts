import { beforeAll, describe, expect, test } from 'vitest';
import { drawnRows, editorReady } from './analyst.js';
import { eventually, openedAnalyst, testThatNothingWasBroken } from './browsing.js';

const used = openedAnalyst('#sample=missions-and-their-communes');

describe('The sources on the page', () => {
  beforeAll(() => used.analyst.run());

  test('shows how the sources are and what is left of the quotas, now', async () => {
    const { page } = used.analyst;
    await page.getByRole('button', { name: 'Sources' }).click();
    const source = (name: string) => page.locator('.pa-sources > li', { hasText: name });
    await eventually(() => source('volunteering').textContent()).toMatch(/UP the real service.*: \d+ of 600 left/);
    expect(await source('work-study').textContent()).toMatch(/Reference data ?\d+ (s|min) old/);
    expect(await source('work-study').textContent()).toMatch(/Export of ?(not loaded yet|loading|\d{4}-\d\d-\d\d)/);
    expect(await source('waste-identity').textContent()).toMatch(/Quota ?not reported yet/);
    const left = async () => Number(/(\d+) of 600/.exec((await source('volunteering').textContent()) ?? '')?.[1]);
    const before = await left();
    // Somebody else spends from it, and Refresh must show that. The minute may end in between, with more left than
    // before, so the figure must be the gateway's current one.
    await used.stack.send('{ missions(first: 1, city: "poterie") { nodes { id } } }');
    const refreshed = page.waitForResponse((response) => response.request().postData()?.includes('remaining') === true);
    await page.getByRole('button', { name: 'Refresh' }).click();
    const { data } = await (await refreshed).json();
    const now = data.sources.find(({ name }: { name: string }) => name === 'volunteering').quotas;
    const { remaining } = now.find(({ limit }: { limit: number }) => limit === 600);
    expect(remaining).not.toBe(before);
    await eventually(left).toBe(remaining);
  });

  test('connects to the waste platform and disconnects', async () => {
    const { page } = used.analyst;
    used.stack.sandbox.waste.registerRedirectUri(`${used.stack.url}/auth/waste/callback`);
    const [user] = used.stack.sandbox.world.wasteUsers;
    if (user === undefined) throw new Error('The world has no waste user.');
    await used.analyst.write('query Mine { viewer { name } }', { note: 'é' });
    // A browser may end the page before it has stored what was typed last.
    await page.evaluate("addEventListener('pagehide', (event) => event.stopImmediatePropagation(), true)");
    const leaving = page.waitForRequest('**/auth/waste/login?*');
    await page.getByRole('link', { name: 'Connect' }).click();
    // The login may return to another host name of this machine, for which the browser stores other tabs.
    const wayBack = new URL((await leaving).url()).searchParams.get('returnTo') ?? '';
    expect(Buffer.from(wayBack.replace('/graphiql#q=', ''), 'base64url').toString()).toContain('query Mine');
    await page.fill('input[name=email]', user.email);
    await page.fill('input[name=password]', user.password);
    await page.click('button[type=submit]');
    await page.click('button:not([name])');
    await page.waitForURL((address) => address.href.startsWith(`${used.stack.url}/graphiql`));
    await editorReady(page);
    await page.getByRole('button', { name: 'Sources' }).click();
    await eventually(() => page.textContent('.pa-panel')).toContain(`Connected as ${user.name}`);
    await page.keyboard.press('Escape');
    // The query is in front whole, although the page was left before its variables were stored.
    await eventually(() => page.textContent('.graphiql-tab-active')).toContain('Mine');
    await eventually(() => page.textContent('.graphiql-editor-tool .view-lines')).toContain('é');
    await used.analyst.run('query Mine { viewer { name } }');
    await used.analyst.view('Table');
    await eventually(async () => (await drawnRows(page)).flat()).toContain(user.name);
    await page.getByRole('button', { name: 'Sources' }).click();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await eventually(() => page.textContent('.pa-panel')).toContain('Not connected');
  });

  testThatNothingWasBroken(used);
});
