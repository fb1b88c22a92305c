import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { type OpenedGateway, openGateway, REMOTE_SHAPES } from './support/open-gateway.js';

/** Guards what stands around the library where it joins: what it would answer wrongly, leak, misplace or multiply. */

const MISSION = { id: 'm1', title: 'Sorting', city: 'Lyon', postalCode: '69001', location: { lon: 4.8, lat: 45.7 } };
const ORGANIZATION = { id: 'o1', title: 'Les Amis', siret: '111', sirets: ['111'] };
const WORKPLACES = Array.from({ length: 30 }, () => ({ siret: '111', name: 'Atelier' }));

let applied: string[] = [];

const resolvers = {
  volunteering: {
    Query: {
      mission: () => ({ ...MISSION, organization: ORGANIZATION }),
      missions: () => [MISSION, MISSION],
      organization: () => ORGANIZATION,
      echo: (_: unknown, { text }: { text: string }) => text,
    },
    Mutation: {
      async apply(_: unknown, { text }: { text: string }) {
        applied.push(`starts ${text}`);
        await new Promise((resolve) => setImmediate(resolve));
        applied.push(`ends ${text}`);
        return text;
      },
    },
    VolunteeringSource: {
      quota: () => {
        throw new CodedError('UPSTREAM_UNAVAILABLE', 'No quota is known.', { service: 'volunteering' });
      },
    },
    Workplace: { organization: () => ORGANIZATION },
  },
  'work-study': {
    Query: {
      sources: () => [
        { __typename: 'WorkStudySource', name: 'work-study', state: 'UP', quota: 3 },
        { __typename: 'WasteIdentitySource', name: 'waste-identity' },
        { __typename: 'VolunteeringSource', name: 'volunteering' },
      ],
    },
    Mission: {
      commune: ({ city }: { city: string }) => ({ code: { insee: city }, nom: city }),
      communeMatch: () => ({ method: null }),
    },
    Organization: { workplaces: () => WORKPLACES },
  },
};

describe.each(REMOTE_SHAPES)('a graph that the library joins, %s', (shape) => {
  let gateway: OpenedGateway;
  beforeAll(async () => {
    gateway = await openGateway({ shape, resolvers });
  });
  afterAll(() => gateway.close());

  async function dataOf(query: string, variables: object = {}) {
    const { data, errors } = await gateway.send(query, { variables });
    expect(errors).toBeUndefined();
    return data;
  }

  it.each(['@include(if: false)', '@include(if: $no)', '@skip(if: true)'])(
    'leaves the other joins as they are if one is skipped, by %s',
    async (condition) => {
      const query = `query ${condition.includes('$no') ? '($no: Boolean = false)' : ''} {
        mission(id: "1") { commune { nom } organization { title workplaces ${condition} { name } } communeMatch ${condition} { method } }
        missions { commune { nom } communeMatch ${condition} { method } ... on Mission ${condition} { organization { id } } }
      }`;
      expect(await dataOf(query)).toEqual({
        mission: { commune: { nom: 'Lyon' }, organization: { title: 'Les Amis' } },
        missions: [1, 2].map(() => ({ commune: { nom: 'Lyon' } })),
      });
    },
  );

  it.each([
    ['an object', '{ mission(id: "1") @skip(if: $no) { title @skip(if: $yes) } }', { mission: {} }],
    [
      'an object, by a fragment',
      '{ mission(id: "1") { ...F @skip(if: $yes) } } fragment F on Mission { title }',
      { mission: {} },
    ],
    [
      'an object, within a fragment',
      '{ mission(id: "1") { ...F } } fragment F on Mission { title @skip(if: $yes) }',
      { mission: {} },
    ],
    ['a list', '{ missions @include(if: $yes) { title @skip(if: $yes) } }', { missions: [{}, {}] }],
    [
      'a join',
      '{ mission(id: "1") { title commune { nom @skip(if: $yes) } } }',
      { mission: { title: 'Sorting', commune: {} } },
    ],
    ['an interface', '{ sources { ... on WorkStudySource { name @skip(if: $yes) } } }', { sources: [{}, {}, {}] }],
    ['all', '{ mission(id: "1") @skip(if: $yes) { title } }', {}],
  ])('answers {} for %s of which everything is skipped', async (_what, query, expected) => {
    for (const round of [1, 2]) {
      const text = `query Skipping${round}($yes: Boolean!${query.includes('$no') ? ', $no: Boolean = false' : ''}) ${query}`;
      expect(await dataOf(text, { yes: true })).toEqual(expected);
      expect(await dataOf(text, { yes: false })).not.toEqual(expected);
    }
  });

  it('leaves to the client the name that it gives to what nobody selects', async () => {
    const query = '{ mission(id: "1") { private_: title commune { nom @skip(if: true) } } }';
    expect(await dataOf(query)).toEqual({ mission: { private_: 'Sorting', commune: {} } });
  });

  it('runs a mutation in the order of the client, fragments and skipped fields among them', async () => {
    applied = [];
    const query = `mutation ($yes: Boolean!) {
      a: apply(text: "a") ...Further c: apply(text: "c") ... { d: apply(text: "d") @skip(if: $yes) e: apply(text: "e") }
    } fragment Further on Mutation { b: apply(text: "b") a: apply(text: "a") } `;
    const data = await dataOf(query, { yes: true });
    expect(Object.entries(data)).toEqual([...'abce'].map((text) => [text, text]));
    expect(applied).toEqual([...'abce'].flatMap((text) => [`starts ${text}`, `ends ${text}`]));
  });

  it('answers an object in the order of the client, wherever its fields are written', async () => {
    const query = `{ mission(id: "1") { ... on Mission { id } ...F ... on Mission { organization { title } city } } }
      fragment F on Mission { organization { id } title }`;
    expect(JSON.stringify(await dataOf(query))).toBe(
      '{"mission":{"id":"m1","organization":{"id":"o1","title":"Les Amis"},"title":"Sorting","city":"Lyon"}}',
    );
    const sources = '{ sources { ... on WorkStudySource { state } name ... on WorkStudySource { quota } } }';
    const [first] = (await dataOf(sources)).sources;
    expect(Object.keys(first)).toEqual(['state', 'name', 'quota']);
  });

  it('plans equal operations once, however they are written and called', async () => {
    const planned = async (query: string) => {
      const trace = { 'x-passerelle-trace': '1' };
      return (await gateway.send(query, { headers: trace })).extensions?.passerelle?.plan;
    };
    const plan = await planned('{ mission(id: "1") { title commune { nom } } }');
    expect(plan).toMatchObject({ kind: 'Sequence' });
    const other = 'query One { mission(id: "1") { ...F commune { nom } title @include(if: true) } }';
    expect(await planned(`${other} fragment F on Mission { title }`)).toEqual(plan);
  });

  it.each([
    [
      'of its newest fields',
      '__type(name: "__Type") { isOneOf fields(includeDeprecated: true) { name args(includeDeprecated: true) { name isDeprecated } } }',
    ],
    ['of directives', '__schema { directives { name isRepeatable args(includeDeprecated: true) { name } } }'],
    [
      'in fragments',
      '...S } fragment S on Query { __schema { ...Q } } fragment Q on __Schema { queryType { name inputFields(includeDeprecated: true) { name } }',
    ],
  ])('answers introspection %s, alone and beside data, in the order of the client', async (_what, selection) => {
    const alone = await dataOf(`{ ${selection} }`);
    expect(Object.keys(alone)).toHaveLength(1);
    const beside = await dataOf(
      `{ first: mission(id: "1") { city: title commune { nom } } kind: __typename ${selection} }`,
    );
    const mission = { city: 'Sorting', commune: { nom: 'Lyon' } };
    expect(Object.entries(beside)).toEqual([['first', mission], ['kind', 'Query'], ...Object.entries(alone)]);
  });

  it('tells an error at its own item of a list of several types', async () => {
    const { data, errors } = await gateway.send('{ sources { name ... on VolunteeringSource { amount: quota } } }');
    expect(data.sources[2]).toEqual({ name: 'volunteering', amount: null });
    expect(errors?.map(({ path }) => path)).toEqual([['sources', 2, 'amount']]);
  });

  it('tells why an object is null that lacks what it may not lack, once', async () => {
    const { data, errors } = await gateway.send('{ mission(id: "1") { communeMatch { way: method } } }');
    expect(data).toEqual({ mission: { communeMatch: null } });
    expect(errors?.map(({ path }) => path)).toEqual([['mission', 'communeMatch', 'way']]);
  });

  it('answers an unknown operation name with what it is', async () => {
    const { status, errors } = await gateway.send('query A { echo } query B { echo }', { operationName: 'C' });
    expect([status, errors?.[0]?.message]).toEqual([400, 'Unknown operation named "C".']);
  });

  it('refuses joins there and back before they multiply beyond what is sent', async () => {
    const back = (depth: number): string =>
      depth === 0 ? 'title' : `title workplaces { organization { ${back(depth - 1)} } }`;
    const { status, data, errors } = await gateway.send(`{ organization { ${back(5)} } }`);
    expect([status, data, errors?.[0]?.extensions['code']]).toEqual([400, undefined, 'ANSWER_TOO_LARGE']);
    const requests = gateway.subgraphs.volunteering.requested.length;
    expect((await dataOf(`{ organization { ${back(2)} } }`)).organization.workplaces).toHaveLength(30);
    expect(gateway.subgraphs.volunteering.requested.length - requests).toBeLessThan(5);
  });

  it('refuses what the library would take too long to make, before anything is asked', async () => {
    const before = gateway.subgraphs.volunteering.requested.length;
    const { status, errors } = await gateway.send(
      '{ mission(id: "1") { near(first: 10001) { nodes { id } } a: near(first: 10000) { nodes { id } } b: near(first: 1) { nodes { id } } } }',
    );
    expect([status, errors?.[0]?.extensions['code']]).toEqual([400, 'BAD_USER_INPUT']);
    expect(errors?.[0]?.message).toContain('at most 10000 are allowed');
    expect(gateway.subgraphs.volunteering.requested).toHaveLength(before);
  });
});
