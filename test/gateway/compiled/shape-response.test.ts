import { buildSchema, type GraphQLObjectType, getOperationAST, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { compileResponse } from '../../../gateway/execution/compiled/shape-response.js';
import { fragmentsOf } from '../../../gateway/graph/fragments.js';

const schema = buildSchema(`
  type Query { missions: [Mission!] first: Mission! place: Place level: Level sizes: [Int!] }
  type Mission { id: ID! title: String! places: [Place] organization: Organization }
  type Organization { title: String! }
  interface Place { name: String }
  type Office implements Place { name: String floor: Int }
  enum Level { HIGH LOW }
  scalar Anything
`);

async function shape(query: string, merged: Record<string, unknown>, maxBytes = 1000) {
  const document = parse(query);
  const selections = getOperationAST(document)?.selectionSet;
  if (selections === undefined) throw new Error('There is no operation.');
  const restoreName = (name: string) => name;
  const scope = { schema, fragments: fragmentsOf(document), flags: {}, restoreName, maxBytes };
  const { data, errors } = await compileResponse(
    selections,
    schema.getQueryType() as GraphQLObjectType,
    scope,
  )(merged, {});
  return { data, paths: errors.map(({ path }) => path?.join('.')) };
}

describe('what sources told becomes the response', () => {
  it('with what was selected and nothing else, in the order of the selections', async () => {
    const merged = { first: { __typename: 'Mission', title: 'One', id: 'm1', city: 'required by a join' } };
    const { data } = await shape('{ first { id ...T } } fragment T on Mission { name: title __typename }', {
      first: { ...merged.first, name: 'One' },
    });
    expect(JSON.stringify(data)).toBe('{"first":{"id":"m1","name":"One","__typename":"Mission"}}');
  });

  it.each<[what: string, query: string, merged: Record<string, unknown>, data: unknown, paths: string[]]>([
    ['nothing was told', '{ place { name } level }', {}, { place: null, level: null }, []],
    [
      'a number stands for text',
      '{ place { name } }',
      { place: { __typename: 'Office', name: 7 } },
      { place: { name: null } },
      ['place.name'],
    ],
    ['an enum has an unknown value', '{ level }', { level: 'MIDDLE' }, { level: null }, ['level']],
    ['a list is none', '{ missions { id } }', { missions: { id: 'm1' } }, { missions: null }, ['missions']],
    ['an object is none', '{ place { name } }', { place: 'here' }, { place: null }, ['place']],
    ['a type is unknown', '{ place { name } }', { place: { __typename: 'Castle' } }, { place: null }, ['place']],
    [
      'an interface does not say its type',
      '{ place { name } }',
      { place: { name: 'HQ' } },
      { place: { name: 'HQ' } },
      [],
    ],
    [
      'an interface says its own name',
      '{ place { name ... on Office { floor } } }',
      { place: { __typename: 'Place', name: 'HQ', floor: 1 } },
      { place: { name: 'HQ' } },
      [],
    ],
    [
      'nobody knows the type',
      '{ place { __typename name } level }',
      { place: { name: 'HQ' } },
      { place: null, level: null },
      [],
    ],
    ['there is a null in a list without nulls', '{ sizes }', { sizes: [1, null] }, { sizes: null }, ['sizes.1']],
    ['a fraction stands for an integer', '{ sizes }', { sizes: [1, 1.5] }, { sizes: null }, ['sizes.1']],
    [
      'a null bubbles up to the nearest parent that may be null',
      '{ missions { id organization { title } } }',
      { missions: [{ id: 'm1', organization: {} }] },
      { missions: [{ id: 'm1', organization: null }] },
      ['missions.0.organization.title'],
    ],
    [
      'a null bubbles up to the whole answer',
      '{ level first { id title } }',
      { first: { id: 'm1', title: null } },
      null,
      ['first.title'],
    ],
    [
      'one item spoils a list without nulls',
      '{ missions { id } level }',
      { missions: [{ id: 'm1' }, {}] },
      { missions: null, level: null },
      ['missions.1.id'],
    ],
  ])('when %s', async (_what, query, merged, data, paths) => {
    expect(await shape(query, merged)).toEqual({ data, paths });
  });

  it('whole if it fits, and is given up as soon as it is certain not to', async () => {
    const mission = { __typename: 'Mission', id: 'm1', title: 'One and the same' };
    const query = '{ missions { id title } }';
    const merged = { missions: Array.from({ length: 50 }, () => mission) };
    const { data } = await shape(query, merged, 10_000);
    const bytes = JSON.stringify(data).length;
    expect(await shape(query, merged, bytes)).toEqual({ data, paths: [] });
    let read = 0;
    const counted = {
      ...mission,
      get title() {
        read += 1;
        return mission.title;
      },
    };
    const many = { missions: Array.from({ length: 50 }, () => counted) };
    await expect(shape(query, many, bytes / 2)).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' });
    expect(read).toBeLessThan(40);
  });
});
