import { readFile } from 'node:fs/promises';
import { buildSchema, getIntrospectionQuery, getOperationAST, type OperationDefinitionNode, parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { introspects } from '../../gateway/limits/operation-cost.js';

describe('Reading the schema', () => {
  let schema: ReturnType<typeof buildSchema>;
  beforeAll(async () => {
    schema = buildSchema(await readFile('schema/api.graphql', 'utf8'));
  });

  const judge = (query: string, variables: Record<string, unknown> = {}) => {
    const document = parse(query);
    const operation = getOperationAST(document) as OperationDefinitionNode;
    return introspects({ schema, document, operation, variables });
  };

  test('is free for what tools send', () => {
    expect(judge(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }))).toBe('some');
    expect(
      judge('query($name: String!) { __type(name: $name) { fields { name type { name } } } }', { name: 'Mission' }),
    ).toBe('some');
    expect(judge('{ __typename missions { nodes { __typename } } }')).toBe('nothing');
  });

  test.each([
    ['aliases of the list of types', `{ __schema { ${aliases(9, `types { name ${LEVEL} }`)} } }`],
    ['lists below lists', `{ __schema { types { ${below(4)} } } }`],
    ['one type under many aliases', `{ ${aliases(29, `__type(name: "Query") { ${below(3)} }`)} }`],
  ])('is refused where it multiplies: %s', (_what, query) => {
    expect(judge(query)).toBe('too much');
  });

  test('is measured with the variables of the request', () => {
    const query = `query($name: String! = "Query") { ${aliases(29, `__type(name: $name) { ${below(3)} }`)} }`;
    expect([judge(query), judge(query, { name: 'Boolean' })]).toEqual(['too much', 'some']);
  });
});

/** Fields of a type, with their arguments. */
const LEVEL = 'fields { name description args { name description } }';

function below(levels: number): string {
  return levels === 0 ? LEVEL : `fields { type { ${below(levels - 1)} ofType { ${below(levels - 1)} } } }`;
}

function aliases(count: number, field: string): string {
  return Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ');
}
