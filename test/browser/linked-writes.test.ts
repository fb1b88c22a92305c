import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareFragment } from '../../analyst/page/state/sharing.js';
import { POLLING } from '../polling.js';
import { editorReady } from './analyst.js';
import { type Browsing, browsing, eventually } from './browsing.js';

/** Guards that nobody changes data by opening a link and pressing Run, as if it were a question. */

const MUTATION = 'mutation Appointment { generateAppointmentLink(input: { onisepId: "1" }) { __typename } }';
const QUESTION = 'query Question { departements { nom } }';

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

  const run = () => page.click('.graphiql-execute-button');
  const status = () => page.textContent('.pa-status');

  async function follow(query: string): Promise<void> {
    await page.goto('about:blank');
    await page.goto(`${used.stack.url}/graphiql${shareFragment({ query, variables: '' })}`);
    await editorReady(page);
  }

  test('to a query opens GraphiQL, and is run without being asked', async () => {
    await follow(QUESTION);
    const response = page.waitForResponse('**/graphql');
    await run();
    expect((await response).status()).toBe(200);
    expect(asked).toEqual([]);
  });

  test('is asked for before what it brought is sent, by field, key and login, and not sent unless that is agreed to', async () => {
    await follow(MUTATION);
    const { alice } = used.stack.sandbox.keys.workStudy;
    await page.getByRole('button', { name: 'Sources' }).click();
    await page.fill('[data-key-of="work-study"]', alice);
    await page.keyboard.press('Escape');
    await run();
    await eventually(() => asked.length).toBe(1);
    await eventually(status).toContain('Not run.');
    expect(sent).toEqual([]);
    agrees = true;
    await run();
    await eventually(() => sent).toEqual([alice]);
    expect(asked).toEqual(
      Array(2).fill(expect.stringMatching(/changes data: generateAppointmentLink\..*work-study.*login/)),
    );
    expect(asked.join()).not.toContain(alice);
    await run();
    await eventually(() => sent.length).toBe(2);
    expect(asked).toHaveLength(2);
  });
});
