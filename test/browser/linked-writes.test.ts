import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareFragment } from '../../analyst/page/tabs/sharing.js';
import { POLLING } from '../polling.js';
import { IS_LONG } from '../runs.js';
import { editorReady } from './analyst.js';
import { type Browsing, browsing, eventually } from './browsing.js';

/** Guards that nobody changes data by opening a link and pressing Run, as if it were a question. */

const MUTATION = 'mutation Appointment { generateAppointmentLink(input: { onisepId: "1" }) { __typename } }';
const QUESTION = 'query Question { departements { nom } }';
const BOUND = 2 * 1024 * 1024;

describe('A link', () => {
  let used: Browsing;
  let page: Page;
  const asked: string[] = [];
  const sent: string[] = [];
  let agrees = false;

  beforeAll(async () => {
    used = await browsing();
    page = await (await used.chromium.freshContext()).newPage();
    page.setDefaultTimeout(POLLING.timeout);
    page.on('dialog', async (dialog) => {
      asked.push(dialog.message());
      await (agrees ? dialog.accept() : dialog.dismiss());
    });
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('generateAppointmentLink(')) sent.push(request.headers()['x-work-study-key'] ?? 'no key');
    });
  });
  afterAll(() => page?.context().close());

  const editors = () => page.locator('.graphiql-editors').isVisible();
  const runButton = () => page.locator('.pa-run');
  const status = () => page.textContent('.pa-status');

  async function follow(query: string): Promise<void> {
    await page.goto('about:blank');
    await page.goto(`${used.stack.url}/graphiql${shareFragment({ query, variables: '' })}`);
    await runButton().waitFor();
  }

  test('to a question opens folded, and is run without being asked', async () => {
    await follow(QUESTION);
    expect(await editors()).toBe(false);
    const response = page.waitForResponse('**/graphql');
    await runButton().click();
    expect((await response).status()).toBe(200);
    expect(asked).toEqual([]);
  });

  test('to a mutation opens unfolded, in a window where questions are folded, and its buttons say what it does', async () => {
    await follow(MUTATION);
    await eventually(editors).toBe(true);
    await page.keyboard.press('F2');
    await eventually(editors).toBe(true);
    expect(await runButton().textContent()).toBe('Run: changes data');
    expect(await page.getAttribute('.graphiql-execute-button', 'title')).toBe('Run: changes data');
  });

  test('is asked for before what it brought is sent, by field, key and login, and not sent unless that is agreed to', async () => {
    const { alice } = used.stack.sandbox.keys.workStudy;
    await page.getByRole('button', { name: 'Show Sources' }).click();
    await page.fill('[data-key-of="work-study"]', alice);
    const run = [() => runButton().click(), () => page.click('.graphiql-execute-button')];
    for (const [index, press] of run.entries()) {
      await press();
      await eventually(() => asked.length).toBe(index + 1);
      await eventually(status).toContain('Not run.');
    }
    expect(sent).toEqual([]);
    agrees = true;
    await runButton().click();
    await eventually(() => sent).toEqual([alice]);
    expect(asked).toEqual(
      Array(3).fill(expect.stringMatching(/changes data: generateAppointmentLink\..*work-study.*login/)),
    );
    expect(asked.join()).not.toContain(alice);
    await page.click('.graphiql-execute-button');
    await eventually(() => sent.length).toBe(2);
    expect(asked).toHaveLength(3);
  });

  test.runIf(IS_LONG)('asks again when it is followed again, also after a reload', async () => {
    agrees = false;
    await follow(MUTATION);
    await page.reload();
    await editorReady(page);
    await eventually(editors).toBe(true);
    await eventually(() => runButton().textContent()).toBe('Run: changes data');
    await runButton().click();
    await eventually(() => asked.length).toBe(4);
    await eventually(status).toContain('Not run.');
    expect(sent).toHaveLength(2);
  });

  test.runIf(IS_LONG)('that inflates to more than 2 MB opens nothing, and the page goes on', async () => {
    const heavy = (bytes: number) => `query Heavy { departements { nom } } #${' '.repeat(bytes)}`;
    const title = () => page.locator('.graphiql-tab', { hasText: 'Heavy' }).count();
    await follow(heavy(BOUND));
    expect(await title()).toBe(0);
    await follow(heavy(BOUND / 8));
    await eventually(title).toBe(1);
  });
});
