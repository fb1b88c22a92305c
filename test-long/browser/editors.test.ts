import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, openedAnalyst, testThatNothingWasBroken } from '../../test/browser/browsing.js';
import { press } from '../../test/browser/download.js';

const execute = promisify(execFile);

/** The program that runs what is copied as each, and its arguments before the text. */
const RUN_BY = {
  curl: ['sh', '-c'],
  fetch: [process.execPath, '--input-type=module', '--eval'],
  Python: ['python3', '-c'],
} as const;

/** Quotes of both kinds, what shells and programs expand, and letters beyond ASCII. */
const NAME = `L'Haÿ "$HOME" \\n\``;

const LONG = `{\n${'  # a line\n'.repeat(200)}  sources { name }\n}`;

describe('Beside the editors', () => {
  const used = openedAnalyst('#sample=missions-near-a-commune');
  const lines = () => used.analyst.page.locator('.graphiql-query-editor .view-lines').textContent();
  const written = async () => (await lines())?.replaceAll('\u00a0', ' ');

  const query = `query Named($name: String!) {
    communesByName(name: "L'Haÿ", first: 2) { nom }
    none: communesByName(name: $name) { nom }
  }`;
  beforeAll(async () => {
    await used.analyst.run(query, { name: NAME });
    await used.analyst.view('Table');
  });

  test.each(Object.entries(RUN_BY))('the request copied as %s gives the response', async (tool, [program, ...args]) => {
    const { page } = used.analyst;
    await press(page, `Copy as ${tool}`);
    await eventually(() => used.analyst.status()).toContain('copied');
    const text = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const { stdout } = await execute(program, [...args, text]);
    const { data } = await used.stack.send(query, { variables: { name: NAME } });
    expect(data.communesByName).toHaveLength(2);
    expect(JSON.parse(stdout).data).toEqual(data);
  });

  test('a message leads to the line and column that it names', async () => {
    const { page } = used.analyst;
    await used.analyst.run('{\n  sources { name }\n  sources { absurd }\n}');
    await page.getByRole('button', { name: 'line 3, column 13' }).click();
    await page.keyboard.type('here_');
    await eventually(written).toContain('sources { here_absurd }');
  });

  test('another tab is shown from its beginning, wherever the last one was scrolled to', async () => {
    const { page } = used.analyst;
    const numbers = () => page.locator('.graphiql-query-editor .line-numbers').allTextContents();
    await page.getByRole('button', { name: 'New tab' }).click();
    await used.analyst.write(LONG);
    await page.keyboard.press('Control+End');
    await eventually(numbers).not.toContain('1');
    await page.locator('.graphiql-tab:not(.graphiql-tab-active) .graphiql-tab-button').first().click();
    await eventually(written).toContain('here_absurd');
    await eventually(numbers).toContain('1');
  });

  testThatNothingWasBroken(used);
});
