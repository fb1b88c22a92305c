import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { parseSafelist, reviewOperations } from '../../gateway/limits/safelist.js';
import { IS_LONG } from '../runs.js';
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

test.each([
  ['fragment query on Query { gone } query A { ...query }', 'A: '],
  ['# query Other\nquery A { gone }', 'A: '],
  ['subscription A { gone }', 'A: '],
  ['{ gone }', /^[\da-f]{64}: /],
])('an operation is called by its own name, or by its hash: %s', (text, name) => {
  expect(review(text).errors).toEqual([expect.stringMatching(typeof name === 'string' ? `^${name}` : name)]);
});

test('what is deprecated is told of the operations that run, though another would be refused', () => {
  const { errors, warnings } = review('query A { __typename gone }', 'query B { old }');
  expect([errors, warnings]).toEqual([[expect.stringMatching(/^A: /)], [expect.stringMatching(/^B: .*deprecated/)]]);
});

test.each([
  ['{ kinds(of: [BAD]) }', 'Kind.BAD'],
  ['query ($kind: Kind = BAD) { kinds(of: [$kind]) }', 'Kind.BAD'],
  ['{ kinds(filter: { inner: [{ siren: "1" }] }) }', 'Filter.siren'],
  ['query { ...F } fragment F on Query { ... { kinds(near: 1) } }', 'argument "near"'],
])('a deprecated value, member or argument is warned of wherever it stands: %s', (text, element) => {
  const schema = buildSchema(`
    type Query { kinds(of: [Kind], filter: Filter, near: Int @deprecated): Int }
    enum Kind { GOOD BAD @deprecated }
    input Filter { siren: String @deprecated inner: [Filter] }
  `);
  const { errors, warnings } = reviewOperations(parseSafelist(listOf(text)), schema);
  expect([errors, warnings.slice(1)]).toEqual([[], [expect.stringContaining(element)]]);
});

test.runIf(IS_LONG)(
  'the command compares a list with a gateway or with this version, and a start warns of it',
  async () => {
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
    const away = await command(file, stack.url).catch((error: { code: number; stderr: string }) => error);
    expect(away).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${stack.url}/schema.graphql cannot be read: `),
    });
    writeFileSync(file, listOf('query Old { gone }'));
    const refused = await command(file).catch((error: { code: number; stdout: string }) => error);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Error: Old: Cannot query field "gone"/) });
  },
);
