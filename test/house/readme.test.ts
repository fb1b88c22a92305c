import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../scenarios/stack.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const scripts = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  }
).scripts;

describe('The README', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape: 'in process' });
  });
  afterAll(() => stack.close());

  test('asks a first query that is answered as it says', async () => {
    const { query } = JSON.parse(fenced(/-d '(\{"query".*\})'/)) as { query: string };
    const token = fenced(/authorization: (Bearer \w+)/);
    const expected = JSON.parse(fenced(/```json\n([\s\S]*?)```/)) as { data: unknown };
    const { data, errors } = await stack.send(query, { headers: { authorization: token } });
    expect(errors).toEqual([]);
    expect(data).toEqual(expected.data);
  });

  test('names only commands that exist', () => {
    const commands = [...readme.matchAll(/`npm (?:run )?([\w:]+)[^`]*`/g)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(6);
    for (const name of commands) expect(Object.keys(scripts)).toContain(name);
  });

  test('says that a new field is served after `compose`: the watcher follows imports, and the supergraph is none', () => {
    expect(readme).toMatch(/`npm run dev` \| .*`npm run compose`/);
    expect(scripts['dev']).toContain('--include schema/supergraph.graphql');
  });
});

/** The only part of the README that matches the pattern. */
function fenced(pattern: RegExp): string {
  const found = pattern.exec(readme)?.[1];
  if (found === undefined) throw new Error(`The README has nothing like ${pattern}.`);
  return found;
}
