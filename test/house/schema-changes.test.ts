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

test('of equal schemas there is nothing to list', () => {
  expect(schemaChanges(AFTER, AFTER)).toBe('Nothing.');
});
