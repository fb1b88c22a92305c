import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schemaChanges } from '../../scripts/docs/schema-changes.js';

/** Guards what the page of changes says of two schemas. */

const BEFORE = buildSchema('type Query { a: String, b(x: Int): T, gone: Int } type T { c: Int } enum E { ONE }');
const AFTER = buildSchema(`
  type Query { a: String @deprecated(reason: "Read b. Until 2027-06-01."), b(x: Int, y: Int): T, d(z: Int): N }
  type T { c: Int } type N { e: Int } enum E { ONE TWO }
`);

test('breaking, surprising, deprecated and added things are listed, each once', () => {
  expect(schemaChanges(BEFORE, AFTER)).toBe(
    [
      '**Breaking**\n\n- Query.gone was removed.',
      '**May surprise**\n\n- TWO was added to enum type E.',
      '**Deprecated**\n\n- `Query.a`: Read b. Until 2027-06-01.',
      '**Added**\n\n- `Query.b(y:)`\n- `Query.d`\n- `N`\n- `E.TWO`',
    ].join('\n\n'),
  );
});

test.each([
  ['[T] @semanticNonNull(levels: [0, 1])', '[T]', ['Query.a']],
  ['[T] @semanticNonNull(levels: [0, 1])', '[T] @semanticNonNull(levels: [0])', ['Query.a']],
  ['[T] @semanticNonNull(levels: [0, 1])', '[T!]! ', []],
  ['[T] @semanticNonNull(levels: [0, 1])', '[T!] @semanticNonNull', []],
  ['[T] @semanticNonNull(levels: [0])', '[T] @semanticNonNull(levels: [0, 1])', []],
])('a field that may be null from now on without an error breaks clients: %s, then %s', (before, after, lost) => {
  const schema = (type: string) =>
    buildSchema(`
      directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION
      type Query { a: ${type} } type T { c: Int }
    `);
  expect(schemaChanges(schema(before), schema(after))).toBe(
    lost.length === 0
      ? 'Nothing.'
      : `**Breaking**\n\n${lost.map((name) => `- ${name} may be null without an error.`).join('\n')}`,
  );
});

test.each(['No longer supported', 'Read b.', 'Until soon.', 'Until 2027-06-01. Read b.'])(
  'a deprecation whose reason does not end with a date is refused: %s',
  (reason) => {
    const after = buildSchema(`type Query { a(x: Int @deprecated(reason: "${reason}")): Int }`);
    expect(() => schemaChanges(BEFORE, after)).toThrow('Query.a(x:)');
  },
);

test('of equal schemas there is nothing to list', () => {
  expect(schemaChanges(AFTER, AFTER)).toBe('Nothing.');
});
