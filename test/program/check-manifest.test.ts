import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { parseSafelist, reviewOperations } from '../../gateway/limits/safelist.js';
import { startStack } from '../scenarios/stack.js';
import { temporaryFolder } from '../temporary-folder.js';

/** Guards what a client learns of its list of operations before a user does. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCHEMA = buildSchema('type Query { one: String, old: String @deprecated(reason: "Read `one`.") }');

const listOf = (...texts: readonly string[]) =>
  JSON.stringify(Object.fromEntries(texts.map((text) => [createHash('sha256').update(text).digest('hex'), text])));
const review = (...texts: readonly string[]) => reviewOperations(parseSafelist(listOf(...texts)), SCHEMA);

test('a list is good that selects __typename somewhere and nothing that is missing or deprecated', () => {
  expect(review('query A { __typename one }', 'query B { one }')).toEqual({ errors: [], warnings: [] });
});

test('a list of which no operation selects __typename is warned of, as are deprecated fields, with their reasons', () => {
  expect(review('query A { one }').warnings).toEqual([expect.stringContaining('__typename')]);
  expect(review('query A { __typename old }').warnings).toEqual(['A: The field Query.old is deprecated. Read `one`.']);
});

test('an operation that would be refused is an error, by its name, behind a fragment too', () => {
  expect(review('fragment F on Query { __typename gone } query A { ...F }').errors).toEqual([
    'A: Cannot query field "gone" on type "Query". Did you mean "one"?',
  ]);
});

test('the command compares a list with a gateway or with this version, and a start warns of it', async () => {
  const file = join(temporaryFolder(), 'list.json');
  writeFileSync(file, listOf('query Old { departements { nom } }'));
  const stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, env: { SAFELIST: file } });
  const command = (...args: readonly string[]) =>
    promisify(execFile)(join(ROOT, 'node_modules/.bin/tsx'), ['scripts/docs/check-manifest.ts', ...args], {
      cwd: ROOT,
    });
  expect((await command(file, stack.url)).stdout).toMatch(/^Warning: .*__typename.*\nEvery operation runs\.\n$/);
  expect(stack.log.text()).toContain('No operation of the manifest selects __typename');
  await stack.close();
  writeFileSync(file, listOf('query Old { gone }'));
  const refused = await command(file).catch((error: { code: number; stdout: string }) => error);
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Error: Old: Cannot query field "gone"/) });
});
