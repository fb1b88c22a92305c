import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedGateway, openGateway, SHAPES } from './support/open-gateway.js';

const MISSIONS = [
  {
    id: 'm1',
    title: 'Sorting',
    city: 'Lyon',
    postalCode: '69001',
    location: { lon: 4.8, lat: 45.7 },
    organization: { id: 'o1', title: 'Les Amis', siret: '111' },
    places: [
      { __typename: 'Office', name: 'HQ', city: 'Paris' },
      { __typename: 'Street', name: 'Rue A', title: 'Sir' },
    ],
  },
  {
    id: 'm2',
    title: 'Cooking',
    city: 'Brest',
    postalCode: '29200',
    location: { lon: -4.5, lat: 48.4 },
    organization: { id: 'o2', title: 'La Table', siret: '222' },
    places: [],
  },
];

interface Representation {
  readonly [name: string]: unknown;
}

const received: Representation[] = [];

const resolvers = {
  volunteering: {
    Query: {
      missions: () => MISSIONS,
      mission: (_: unknown, { id }: { id: string }) => MISSIONS.find((mission) => mission.id === id),
      echo: (_: unknown, { text }: { text: string }) => text,
      organization: (_: unknown, { filter }: { filter?: { representations: string[] } }) => ({
        id: 'o9',
        title: filter?.representations.join('+') ?? 'none',
      }),
    },
    Mission: { related: () => [MISSIONS[1]] },
  },
  'work-study': {
    Mission: {
      commune: (mission: Representation) => {
        received.push(mission);
        return { code: { insee: String(mission['postalCode']) }, nom: `${mission['city']}-sur-Mer` };
      },
    },
    Organization: { workplaces: ({ siret }: { siret: string }) => [{ siret, name: `Atelier ${siret}` }] },
  },
};

describe.each(SHAPES)('names that could confuse a join, %s', (shape) => {
  let gateway: OpenedGateway;
  beforeAll(async () => {
    gateway = await openGateway({ shape, resolvers });
  });
  afterAll(() => gateway.close());

  async function dataOf(query: string, variables?: object) {
    const { data, errors } = await gateway.send(query, variables ? { variables } : {});
    expect(errors).toBeUndefined();
    return data;
  }

  it('joins by the real city when an alias calls the title `city`', async () => {
    const data = await dataOf('{ missions { city: title commune { nom } } }');
    expect(data.missions).toEqual([
      { city: 'Sorting', commune: { nom: 'Lyon-sur-Mer' } },
      { city: 'Cooking', commune: { nom: 'Brest-sur-Mer' } },
    ]);
  });

  it('answers the title, not the key, when an alias calls the title `id`', async () => {
    const data = await dataOf('{ missions { id: title commune { nom } } }');
    expect(data.missions[0]).toEqual({ id: 'Sorting', commune: { nom: 'Lyon-sur-Mer' } });
  });

  it('joins when an alias gives a scalar-like object the name of a required object', async () => {
    received.length = 0;
    const data = await dataOf('{ missions { location: organization { id } commune { nom } } }');
    expect(data.missions[0]).toEqual({ location: { id: 'o1' }, commune: { nom: 'Lyon-sur-Mer' } });
    expect(received[0]?.['location']).toEqual({ lon: 4.8, lat: 45.7 });
  });

  it('keeps two fields apart that have exchanged their names', async () => {
    const data = await dataOf('{ missions { title: city city: title commune { nom } } }');
    expect(data.missions[1]).toEqual({ title: 'Brest', city: 'Cooking', commune: { nom: 'Brest-sur-Mer' } });
  });

  it('joins when the nested required fields have exchanged their names', async () => {
    received.length = 0;
    const data = await dataOf('{ missions { location { lon: lat lat: lon } commune { nom } } }');
    expect(data.missions[0].location).toEqual({ lon: 45.7, lat: 4.8 });
    expect(received[0]?.['location']).toEqual({ lon: 4.8, lat: 45.7 });
  });

  it('finds such an alias in fragments, inline and named, on every level', async () => {
    const data = await dataOf(`
      query Nested { missions { ...On organization { ... on Organization { siret: title workplaces { name } } } } }
      fragment On on Mission { ... { postalCode: title } commune { code: nom } related { ...Again } }
      fragment Again on Mission { city: id commune { nom } }
    `);
    expect(data.missions[0]).toEqual({
      postalCode: 'Sorting',
      commune: { code: 'Lyon-sur-Mer' },
      related: [{ city: 'm2', commune: { nom: 'Brest-sur-Mer' } }],
      organization: { siret: 'Les Amis', workplaces: [{ name: 'Atelier 111' }] },
    });
  });

  it('lets an alias of an interface have the name of a field of one of its types', async () => {
    const data = await dataOf(
      '{ mission(id: "m1") { places { city: name __typename ... on Street { name: title } } } }',
    );
    expect(data.mission.places).toEqual([
      { city: 'HQ', __typename: 'Office' },
      { city: 'Rue A', __typename: 'Street', name: 'Sir' },
    ]);
  });

  it('lets a field be called `__typename`, and `__typename` as the client likes', async () => {
    const data = await dataOf('{ missions { __typename: title kind: __typename commune { __typename } } }');
    expect(data.missions[0]).toEqual({ __typename: 'Sorting', kind: 'Mission', commune: { __typename: 'Commune' } });
  });

  it('lets a root field have the name of another', async () => {
    const data = await dataOf('{ viewer: echo(text: "a") missions: echo(text: "b") }');
    expect(data).toEqual({ viewer: 'a', missions: 'b' });
  });

  it('lets an alias begin as our private names do', async () => {
    const data = await dataOf(
      '{ missions { private_city: id private_private_city: title city: postalCode commune { nom } } }',
    );
    expect(data.missions[0]).toEqual({
      private_city: 'm1',
      private_private_city: 'Sorting',
      city: '69001',
      commune: { nom: 'Lyon-sur-Mer' },
    });
  });

  it('keeps the order of the fields as the client wrote them', async () => {
    const data = await dataOf('{ missions { postalCode: title city id: city } }');
    expect(Object.keys(data.missions[0])).toEqual(['postalCode', 'city', 'id']);
  });

  it('lets a variable be called `representations`, with and without joins', async () => {
    const query = `query ($representations: [String!], $private_x: ID!) {
      organization(filter: { representations: $representations }) { title workplaces { name } }
      mission(id: $private_x) { commune { nom } }
    }`;
    const data = await dataOf(query, { representations: ['a', 'b'], private_x: 'm2' });
    expect(data.organization.title).toBe('a+b');
    expect(data.mission.commune.nom).toBe('Brest-sur-Mer');
  });

  it('speaks of the variable by the name that the client gave it', async () => {
    const { status, errors } = await gateway.send(
      'query ($representations: [String!]) { organization(filter: { representations: $representations }) { id } }',
      {
        variables: { representations: [null] },
      },
    );
    expect(status).toBe(400);
    expect(errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
    expect(errors?.[0]?.message).toContain('"$representations"');
  });

  it('tells an error at the alias of its field', async () => {
    const broken = await openGateway({
      shape,
      resolvers: {
        ...resolvers,
        volunteering: {
          ...resolvers.volunteering,
          Mission: {
            title: () => {
              throw new Error('no title');
            },
          },
        },
      },
    });
    const { data, errors } = await broken.send('{ mission(id: "m1") { city: title commune { nom } } }');
    await broken.close();
    expect(data.mission).toEqual({ city: null, commune: { nom: 'Lyon-sur-Mer' } });
    expect(errors?.map(({ path }) => path)).toEqual([['mission', 'city']]);
  });

  it('shows the plan or the joins with the names of the client', async () => {
    const { extensions } = await gateway.send('{ all: missions { city: title place: commune { nom } } }', {
      headers: { 'x-passerelle-trace': '1' },
    });
    const plan = JSON.stringify(extensions?.passerelle?.plan);
    expect(plan).toContain(shape === 'in process' ? '"all.@.place"' : 'city:title');
    expect(plan).not.toContain('private_');
  });
});
