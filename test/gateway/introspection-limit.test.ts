import { readFile } from 'node:fs/promises';
import { buildSchema, getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentErrors } from '../../gateway/limits/safelist.js';

describe('Reading the schema', () => {
  let schema: ReturnType<typeof buildSchema>;
  beforeAll(async () => {
    schema = buildSchema(await readFile('schema/api.graphql', 'utf8'));
  });

  test.each([
    ['what tools send', getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, oneOf: true })],
    ['a type and those of its fields', `{ __type(name: "Mission") { ${below(1)} } }`],
    [
      'beside data, under aliases of its own',
      '{ kind: __typename all: departements { n: nom } __schema { types { name } } }',
    ],
  ])('is free for %s', (_what, query) => {
    expect(documentErrors(schema, query)).toEqual([]);
  });

  test.each([
    ['aliases of the list of types', `{ __schema { ${aliases(30, `types { name ${below(1)} }`)} } }`],
    ['lists below lists', `{ __schema { types { ${below(4)} } } }`],
    [
      'lists below lists, in fragments',
      `{ __schema { types { ...A } } } ${['A B', 'B C', 'C D']
        .map((pair) => pair.split(' '))
        .map(([name, next]) => `fragment ${name} on __Type { fields { type { ...${next} } } }`)
        .join(' ')} fragment D on __Type { fields { name } }`,
    ],
    ['one type under many aliases', `{ ${aliases(29, `__type(name: "Query") { ${below(3)} }`)} }`],
  ])('is refused where it multiplies: %s', (_what, query) => {
    expect(documentErrors(schema, query).at(-1)?.message).toMatch(/ values of the schema large|depth exceeded/);
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
