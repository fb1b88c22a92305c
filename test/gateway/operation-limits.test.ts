import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { sizeOf } from '../../gateway/limits/operation-limits.js';

test('A page of fewer than no items counts as none: it is refused at its field, without a call', () => {
  const schema = buildSchema('type Query { all(first: Int): [Item] } type Item { id: ID parts(first: Int): [Item] }');
  const document = parse('query ($n: Int) { all(first: 3) { parts(first: $n) { id } } }');
  const { cost } = sizeOf({ schema, document, operation: document.definitions[0] as OperationDefinitionNode });
  expect([-1, 2, 20_000].map((n) => cost({ n }).items)).toEqual([6, 9, 30_003]);
});
