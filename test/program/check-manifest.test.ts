import { createHash } from 'node:crypto';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { parseSafelist, reviewOperations } from '../../gateway/limits/safelist.js';

/** Guards what a client learns of its list of operations before a user does. */

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
