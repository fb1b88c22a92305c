import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodedError } from '../../../kernel/errors.js';
import { type OpenedGateway, openGateway } from '../support/open-gateway.js';

const MISSIONS = [
  { id: 'm1', title: 'One', city: 'Lyon', places: [{ __typename: 'Office', name: 'HQ', city: 'Paris' }] },
  { id: 'm2', title: 'Two', city: 'Lyon', places: [{ __typename: 'Street', name: 'A', title: 'Sir' }, null] },
];

/** Added to a query, this makes it executed each time. */
const OF_THE_SCHEMA = 'schema: __schema { __typename }';

describe('an operation in one process', () => {
  let gateway: OpenedGateway;
  beforeAll(async () => {
    gateway = await openGateway({
      resolvers: {
        volunteering: {
          Query: { missions: () => MISSIONS, echo: (_: unknown, { text }: { text: string }) => text },
          Mutation: { apply: (_: unknown, { text }: { text: string }) => text },
          Commune: {
            missions: () => {
              throw new CodedError('UPSTREAM_UNAVAILABLE', 'No missions today.');
            },
          },
          Mission: { anything: ({ places }: { places: object[] }) => places },
        },
        'work-study': {
          Mission: {
            commune: ({ city }: { city: string }) => ({ code: { insee: city }, nom: city }),
            communeMatch: ({ id }: { id: string }) => ({ method: id === 'm1' ? 'POINT' : null }),
          },
          Query: { sources: () => [{ __typename: 'WorkStudySource', name: 'work-study', state: 'UP' }] },
        },
      },
    });
  });
  afterAll(() => gateway.close());

  it.each<[what: string, query: string, variables?: Record<string, unknown>]>([
    ['a join', '{ missions { title commune { nom } } }'],
    ['what needs no source', '{ __typename type: __typename }'],
    ['a field twice, with different selections', '{ missions { title } missions { id commune { nom } } }'],
    [
      'fragments within fragments',
      '{ missions { ...A } } fragment A on Mission { id ...B } fragment B on Mission { commune { nom } }',
    ],
    ['an interface', '{ missions { places { __typename name ... on Office { city } ... on Street { title } } } }'],
    ['a union without its type’s name', '{ missions { anything { ... on Office { city } } } }'],
    ['a type of another subgraph behind an interface', '{ sources { __typename name state } }'],
    ['a null where none may stand', '{ missions { id communeMatch { method } } }'],
    ['an alias that a join could take for its own', '{ missions { city: title commune { nom } } }'],
    ['names of ordinary objects', '{ missions { constructor: title toString: id hasOwnProperty: commune { nom } } }'],
    ['a variable', 'query($text: String!) { echo(text: $text) }', { text: 'é' }],
    ['a default value', 'query($text: String = "default") { echo(text: $text) }'],
    ['a variable that is null', 'query($text: String = "default") { echo(text: $text) }', { text: null }],
    ['a variable that does not fit', 'query($text: String!) { echo(text: $text) }', { text: { not: 'text' } }],
    ['what is left out', '{ missions { title @skip(if: true) commune @include(if: false) { nom } id } }'],
  ])(
    'has the same response from memory and beside a question about the schema: %s',
    async (_what, query, variables = {}) => {
      const first = await gateway.send(query, { variables });
      const again = await gateway.send(query, { variables });
      const { data, errors } = await gateway.send(query.replace('{', `{ ${OF_THE_SCHEMA} `), { variables });
      const { schema: _schema, ...rest } = data ?? {};
      const reported = (of: typeof errors) =>
        of?.map(({ message, path, extensions }) => [message, path, extensions['code']]);
      expect(first.data).toEqual(data && rest);
      expect(reported(first.errors)).toEqual(reported(errors));
      expect([again.data, reported(again.errors)]).toEqual([first.data, reported(first.errors)]);
    },
  );

  it('an operation in one process follows its flags, asks each time for what they let in, and nothing else', async () => {
    const query = `query($withCommune: Boolean!, $noTitle: Boolean = true) {
      missions { id title @skip(if: $noTitle) commune @include(if: $withCommune) { nom } }
    }`;
    const send = async (variables: object) => {
      const before = gateway.subgraphs['work-study'].requested.length;
      const { data } = await gateway.send(query, { variables });
      return [data.missions[0], gateway.subgraphs['work-study'].requested.length - before];
    };
    expect(await send({ withCommune: true })).toEqual([{ id: 'm1', commune: { nom: 'Lyon' } }, 1]);
    expect(await send({ withCommune: false })).toEqual([{ id: 'm1' }, 0]);
    expect(await send({ withCommune: false, noTitle: false })).toEqual([{ id: 'm1', title: 'One' }, 0]);
    expect(await send({ withCommune: true })).toEqual([{ id: 'm1', commune: { nom: 'Lyon' } }, 1]);
  });

  it('an operation in one process has any number of flags', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const declared = names.map((name) => `$${name}: Boolean = true`).join(' ');
    const fields = names.map((name) => `${name}: title @include(if: $${name})`).join(' ');
    const { data } = await gateway.send(`query(${declared}) { missions { ${fields} } }`, { variables: { c: false } });
    expect(data.missions[0]).toEqual({ a: 'One', b: 'One', d: 'One', e: 'One' });
  });

  it('an operation in one process tells an error of an object at each place where it stands', async () => {
    const { data, errors } = await gateway.send('{ missions { commune { nom missions { id } } } }');
    expect(data.missions).toEqual([1, 2].map(() => ({ commune: { nom: 'Lyon', missions: null } })));
    expect(errors?.map(({ path }) => path?.join('.'))).toEqual([0, 1].map((at) => `missions.${at}.commune.missions`));
    expect(gateway.subgraphs.volunteering.requested.at(-1)?.planNode).toBe('missions.@.commune.missions');
  });

  it('an operation in one process may be a mutation', async () => {
    const { data } = await gateway.send('mutation { first: apply(text: "1") second: apply(text: "2") }');
    expect(data).toEqual({ first: '1', second: '2' });
  });

  it('an operation in one process is one of several in its document, each by its name', async () => {
    const query = 'query A { missions { id } } query B { missions { title } }';
    const send = async (operationName: string) => (await gateway.send(query, { operationName })).data?.missions[0];
    expect([await send('A'), await send('B'), await send('A')]).toEqual([{ id: 'm1' }, { title: 'One' }, { id: 'm1' }]);
  });
});
