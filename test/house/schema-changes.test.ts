import { buildSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { readApi } from '../../scripts/docs/api.js';
import { schemaChanges } from '../../scripts/docs/schema-changes.js';

/** Guards what the page of changes says of two schemas. */

const MARK = 'directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION\n';

const BEFORE = buildSchema(
  `${MARK}type Query { a: String, b(x: Int): T, gone: Int, m: T @semanticNonNull } type T { c: Int } enum E { ONE }`,
);
const AFTER = buildSchema(`${MARK}
  type Query { a: String @deprecated(reason: "Read b. Until 2027-06-01."), b(x: Int, y: Int): T, d(z: Int): N, m: T }
  type T { c: Int } type N { e: Int } enum E { ONE TWO }
`);

test('breaking, surprising, deprecated and added things are listed, each once', async () => {
  const listed = await schemaChanges(BEFORE, AFTER);
  const [breaking, surprising, deprecated, added] = listed.split(/\n\n(?=\*\*)/);
  expect(breaking).toContain("Field 'gone' was removed");
  expect(breaking).toContain("'semanticNonNull' was removed from field 'Query.m'");
  expect(surprising).toContain("'TWO' was added");
  expect(deprecated).toContain("'Query.a' is deprecated");
  for (const name of ['Query.b.y', 'Query.d', 'N', 'E.TWO']) expect(added).toContain(`- \`${name}\``);
  expect(added?.match(/^- /gm)).toHaveLength(4);
});

/** A field, an argument, a member of an input or a value of an enum. */
interface Member {
  readonly name: string;
  readonly deprecationReason?: string | null | undefined;
}

test('every deprecation ends with the day until which the element stays', () => {
  const members = Object.values(readApi().getTypeMap()).flatMap((type): readonly Member[] => {
    if (isEnumType(type)) return type.getValues();
    if (isInputObjectType(type)) return Object.values(type.getFields());
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) => [field, ...field.args]);
  });
  expect(members.length).toBeGreaterThan(500);
  for (const { name, deprecationReason } of members)
    if (deprecationReason != null) expect(`${name}: ${deprecationReason}`).toMatch(/\bUntil \d{4}-\d{2}-\d{2}\.$/);
});

test('of equal schemas there is nothing to list', async () => {
  expect(await schemaChanges(AFTER, AFTER)).toBe('Nothing.');
});
