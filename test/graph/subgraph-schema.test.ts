import { execute, isObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { subgraphSchema } from '../../subgraphs/graph/subgraph-schema.js';

const contextValue = { operation: { request: {} } };

describe('subgraphSchema', () => {
  it('joins the fields of a type that several resources resolve', async () => {
    const schema = subgraphSchema('volunteering', [
      {
        Query: { mission: () => ({ id: 'm' }) },
        Mission: { title: () => 'from one resource' },
      },
      { Mission: { city: () => 'from another' } },
    ])();
    const { data } = await execute({ schema, contextValue, document: parse('{ mission(id: "m") { id title city } }') });
    expect(data?.['mission']).toEqual({ id: 'm', title: 'from one resource', city: 'from another' });
  });

  it('answers federation’s own fields', async () => {
    const schema = subgraphSchema('volunteering', [])();
    const { data } = await execute({ schema, contextValue, document: parse('{ _service { sdl } }') });
    expect(JSON.stringify(data)).toContain('@key');
    expect(isObjectType(schema.getType('Mission'))).toBe(true);
  });

  it.each([
    ['no type of the subgraph', { __typename: 'Nothing' }],
    ['a type without a key', { __typename: 'PageInfo' }],
    ['an interface', { __typename: 'Source' }],
    ['nothing at all', {}],
    ['a number', { __typename: 7 }],
    ['a text in its place', 'Mission'],
  ])('refuses a representation that names %s, and resolves the others', async (_what, odd) => {
    const schema = subgraphSchema('volunteering', [
      { Mission: { __resolveReference: ({ id }: { id: string }) => ({ id }) } },
    ])();
    const document = parse(
      'query ($of: [_Any!]!) { _entities(representations: $of) { __typename ... on Mission { id } } }',
    );
    const mission = (id: string) => ({ __typename: 'Mission', id });
    const variableValues = { of: [mission('a'), odd, mission('b')] };
    const { data, errors } = await execute({ schema, document, variableValues, contextValue });
    expect(data?.['_entities']).toEqual([mission('a'), null, mission('b')]);
    expect(errors?.map(({ path, extensions: { code } }) => [path, code])).toEqual([
      [['_entities', 1], 'BAD_USER_INPUT'],
    ]);
  });
});
