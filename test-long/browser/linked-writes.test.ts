import { describe, expect, test } from 'vitest';
import { shareFragment } from '../../analyst/page/state/sharing.js';
import { editorReady } from '../../test/browser/analyst.js';
import { eventually, openedAnalyst } from '../../test/browser/browsing.js';

const MUTATION = 'mutation Appointment { generateAppointmentLink(input: { onisepId: "1" }) { __typename } }';
const BOUND = 2 * 1024 * 1024;

const used = openedAnalyst();

async function follow(query: string): Promise<void> {
  await used.analyst.page.goto('about:blank');
  await used.analyst.page.goto(`${used.stack.url}/graphiql${shareFragment({ query, variables: '' })}`);
}

describe('A link', () => {
  test('asks again when it is followed again, also after a reload', async () => {
    const { page } = used.analyst;
    const run = () => page.click('.graphiql-execute-button');
    let [asked, sent] = [0, 0];
    page.on('dialog', (dialog) => {
      asked += 1;
      return asked === 1 ? dialog.accept() : dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.postData()?.includes('generateAppointmentLink(')) sent += 1;
    });
    for (const time of [1, 2]) {
      await follow(MUTATION);
      if (time === 2) await page.reload();
      await editorReady(page);
      await run();
      await eventually(() => asked).toBe(time);
      await eventually(() => sent).toBe(1);
    }
    await eventually(() => used.analyst.status()).toContain('Not run.');
    expect(sent).toBe(1);
  });

  test('that inflates to more than 2 MB opens nothing, and the page goes on', async () => {
    const heavy = (bytes: number) => `query Heavy { departements { nom } } #${' '.repeat(bytes)}`;
    const title = () => used.analyst.page.locator('.graphiql-tab', { hasText: 'Heavy' }).count();
    await follow(heavy(BOUND));
    await used.analyst.page.locator('.graphiql-execute-button').waitFor();
    expect(await title()).toBe(0);
    await follow(heavy(BOUND / 8));
    await eventually(title).toBe(1);
  });
});
