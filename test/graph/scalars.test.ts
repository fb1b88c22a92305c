import { readFileSync } from 'node:fs';
import { buildSchema, graphql, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { sharedScalars } from '../../subgraphs/graph/subgraph-schema.js';

describe('sharedScalars', () => {
  it('resolves every scalar of shared.graphql and no other', () => {
    const sdl = readFileSync(new URL('../../subgraphs/graph/shared.graphql', import.meta.url), 'utf8');
    const declared = parse(sdl).definitions.flatMap((node) =>
      node.kind === 'ScalarTypeDefinition' ? [node.name.value] : [],
    );
    expect(Object.keys(sharedScalars).sort()).toEqual(declared.sort());
  });

  it('passes text as it is in both directions, even when it is malformed', () => {
    const { SIRET, DateTime } = sharedScalars;
    expect(SIRET.serialize(' 123')).toBe(' 123');
    expect(SIRET.parseValue(' 123')).toBe(' 123');
    expect(DateTime.serialize('2026-08-31T23:59:59+02:00')).toBe('2026-08-31T23:59:59+02:00');
  });

  it('leaves it to the resolver to refuse what is no text, so that a sibling stands', async () => {
    const schema = buildSchema('scalar SIRET type Query { found(siret: SIRET): String other: String }');
    Object.assign(schema.getType('SIRET') ?? {}, {
      parseValue: sharedScalars.SIRET.parseValue,
      parseLiteral: sharedScalars.SIRET.parseLiteral,
    });
    const given: unknown[] = [];
    const rootValue = {
      found: ({ siret }: { siret: unknown }) => {
        given.push(siret);
        throw new Error('refused');
      },
      other: 'stands',
    };
    const source = 'query ($n: SIRET) { found(siret: 12) list: found(siret: [true]) variable: found(siret: $n) other }';
    const response = await graphql({ schema, source, rootValue, variableValues: { n: { a: 1 } } });
    expect(response.data?.['other']).toBe('stands');
    expect(given).toEqual(['12', '[true]', '{"a":1}']);
    expect(response.errors?.map(({ path }) => path)).toEqual([['found'], ['list'], ['variable']]);
  });
});
