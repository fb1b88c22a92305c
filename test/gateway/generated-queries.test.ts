import { composeServices } from '@apollo/composition';
import fc, { type GeneratorValue } from 'fast-check';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  graphql,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  parse,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { runs } from '../runs.js';
import { type OpenedGateway, openGateway, SHAPES } from './support/open-gateway.js';
import { testSubgraphs } from './support/test-graph.js';

/** The data of the small graph, with joins as methods: what a single service that had everything would return. */
interface Mission {
  readonly id: string;
  readonly title: string;
  readonly city: string | null;
  readonly postalCode: string;
  readonly location: { readonly lon: number; readonly lat: number } | null;
  readonly organization: Organization | null;
  readonly places: readonly object[];
}

interface Organization {
  readonly id: string;
  readonly title: string;
  readonly siret: string | null;
}

const PLACES = [
  { __typename: 'Office', name: 'HQ', city: 'Paris' },
  { __typename: 'Street', name: 'Rue A', title: 'Sir' },
];

const ORGANIZATIONS: readonly Organization[] = [
  { id: 'o1', title: 'Les Amis', siret: '111' },
  { id: 'o2', title: 'La Table', siret: null },
];

const MISSIONS: readonly Mission[] = [
  ['m1', 'Lyon', 0],
  ['m2', 'Brest', 1],
  ['m3', 'Lyon', null],
  ['m4', null, 0],
].map(([id, city, organization], index) => ({
  id: String(id),
  title: `Mission ${id}`,
  city: city as string | null,
  postalCode: `6900${index}`,
  location: city === null ? null : { lon: String(city).length, lat: 7 },
  organization: ORGANIZATIONS[organization as number] ?? null,
  places: PLACES,
}));

const communeOf = (city: string | null) =>
  city === null
    ? null
    : { code: { insee: city.toUpperCase() }, nom: city, centre: { lon: city.length, lat: 1 }, level: 'HIGH' };
const missionsAround = (lon: number | undefined) => MISSIONS.filter(({ location }) => location?.lon === lon);
const workplacesOf = (siret: string | null) =>
  siret === null
    ? []
    : [
        { siret, name: `Atelier ${siret}` },
        { siret: null, name: 'Depot' },
      ];
const organizationOf = (siret: string | null) =>
  ORGANIZATIONS.find((one) => one.siret !== null && one.siret === siret) ?? null;

const apart = {
  volunteering: {
    Query: {
      missions: () => MISSIONS,
      mission: (_: unknown, { id }: { id: string }) => MISSIONS.find((mission) => mission.id === id),
      organization: () => ORGANIZATIONS[0],
    },
    Mission: { anything: () => PLACES, related: () => MISSIONS.slice(0, 2) },
    Commune: { missions: ({ centre }: { centre?: { lon: number } }) => missionsAround(centre?.lon) },
    Workplace: { organization: ({ siret }: { siret: string | null }) => organizationOf(siret) },
  },
  'work-study': {
    Query: { commune: () => communeOf('Brest'), jobs: () => workplacesOf('111') },
    Mission: {
      commune: ({ city }: Mission) => communeOf(city),
      communeMatch: ({ city, location }: Mission) => ({ method: `${city} ${location?.lon} ${location?.lat}` }),
    },
    Organization: { workplaces: ({ siret }: Organization) => workplacesOf(siret) },
  },
};

/** The same data for a single schema: graphql-js calls a method wherever it finds one. */
const whole = {
  missions: () => MISSIONS.map(wholeMission),
  mission: ({ id }: { id: string }) => MISSIONS.filter((mission) => mission.id === id).map(wholeMission)[0],
  organization: () => wholeOrganization(ORGANIZATIONS[0] ?? null),
  commune: () => wholeCommune(communeOf('Brest')),
  jobs: () => workplacesOf('111').map(wholeWorkplace),
};

function wholeMission(mission: Mission): object {
  const { city, location } = mission;
  return {
    ...mission,
    anything: PLACES,
    related: () => MISSIONS.slice(0, 2).map(wholeMission),
    organization: () => wholeOrganization(mission.organization),
    commune: () => wholeCommune(communeOf(city)),
    communeMatch: () => ({ method: `${city} ${location?.lon} ${location?.lat}` }),
  };
}

function wholeOrganization(organization: Organization | null): object | null {
  return organization && { ...organization, workplaces: () => workplacesOf(organization.siret).map(wholeWorkplace) };
}

function wholeCommune(commune: ReturnType<typeof communeOf>): object | null {
  return commune && { ...commune, missions: () => missionsAround(commune.centre.lon).map(wholeMission) };
}

function wholeWorkplace(workplace: { siret: string | null }): object {
  return { ...workplace, organization: () => wholeOrganization(organizationOf(workplace.siret)) };
}

/** Response names that clients may choose, and that the planner could confuse with its own. */
const WICKED = ['__typename', 'representations', '_entities', 'private_city', 'private_private_id', 'city__alias_0'];

/** A valid query over the schema: each selection has distinct response names, taken from the names of all fields. */
function writeQuery(schema: GraphQLSchema, random: GeneratorValue): string {
  const names = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__') && !['Query', 'Mutation'].includes(type.name))
    .flatMap((type) => (isObjectType(type) ? Object.keys(type.getFields()) : []));
  const aliases = [...new Set([...names, ...WICKED])];
  const skipped = new Set(['echo', 'slow', 'sources', 'viewer']);

  function oneOf<T>(items: readonly T[]): T {
    return items[random(fc.nat, { max: items.length - 1 })] as T;
  }

  function writeField(field: GraphQLField<unknown, unknown>, taken: Set<string>, depth: number): string {
    const alias = random(fc.boolean) ? oneOf(aliases) : field.name;
    if (taken.has(alias)) return '';
    const type = getNamedType(field.type);
    const below = isObjectType(type) || isAbstractType(type) ? writeSelection(type, depth - 1) : '';
    if (below === null) return '';
    taken.add(alias);
    const given = field.name === 'mission' ? `(id: "m${random(fc.nat, { max: 5 })}")` : '';
    return `${alias === field.name ? '' : `${alias}: `}${field.name}${given} ${below}`;
  }

  function writeSelection(type: GraphQLNamedType, depth: number): string | null {
    const taken = new Set<string>();
    const parts: string[] = [];
    if (isObjectType(type) || isInterfaceType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => !skipped.has(field.name) && (depth > 1 || !('getFields' in getNamedType(field.type))),
      );
      const count = fields.length === 0 ? 0 : random(fc.nat, { max: 2 }) + 1;
      for (let index = 0; index < count; index += 1) {
        const part = writeField(oneOf(fields), taken, depth);
        parts.push(
          isObjectType(type) && random(fc.nat, { max: 4 }) === 0 && part !== ''
            ? `... on ${type.name} { ${part} }`
            : part,
        );
      }
    }
    if (isAbstractType(type)) {
      for (const possible of schema.getPossibleTypes(type)) {
        const [own] = Object.values(possible.getFields());
        const part = own === undefined ? '' : writeField(own, new Set(taken), depth);
        if (part !== '') parts.push(`... on ${possible.name} { ${part} }`);
      }
    }
    if (!taken.has('__typename') && (random(fc.boolean) || parts.every((part) => part === '')))
      parts.push('__typename');
    return parts.every((part) => part === '') ? null : `{ ${parts.filter((part) => part !== '').join(' ')} }`;
  }

  const query = schema.getQueryType();
  return (query && writeSelection(query, 4)) ?? '{ __typename }';
}

/** The same services with failures in some fields and no data in others. */
const failing = {
  volunteering: {
    ...apart.volunteering,
    Mission: {
      ...apart.volunteering.Mission,
      title: ({ id, title }: Mission) => (id === 'm2' ? fail('title') : title),
      city: ({ id, city }: Mission) => (id === 'm3' ? fail('city') : city),
    },
    Organization: { siret: ({ id, siret }: Organization) => (id === 'o2' ? fail('siret') : siret) },
    // Two missions are in Lyon, so a failure of its commune is reported at both.
    Commune: { missions: () => fail('missions') },
  },
  'work-study': {
    ...apart['work-study'],
    Mission: {
      ...apart['work-study'].Mission,
      commune: ({ city }: Mission) => (city === 'Brest' ? fail('commune') : communeOf(city)),
    },
    Organization: { workplaces: ({ siret }: Organization) => (siret === '111' ? fail('workplaces') : []) },
    Commune: { nom: () => fail('nom') },
  },
};

function fail(field: string): never {
  throw new CodedError('UPSTREAM_UNAVAILABLE', `No ${field} today.`);
}

describe.each(SHAPES)('generated queries, %s', (shape) => {
  let gateway: OpenedGateway;
  let schema: GraphQLSchema;
  beforeAll(async () => {
    gateway = await openGateway({ shape, resolvers: apart, isRemembered: true });
    const composed = composeServices(testSubgraphs());
    if (composed.errors !== undefined) throw new Error('The test graph does not compose.');
    schema = buildSchema(printSchema(composed.schema.toAPISchema().toGraphQLJSSchema()));
  });
  afterAll(() => gateway.close());

  it('are answered as one service would answer them that knew all', async () => {
    const property = fc.asyncProperty(fc.gen(), async (random) => {
      const query = writeQuery(schema, random);
      parse(query);
      const expected = await graphql({ schema, source: query, rootValue: whole });
      fc.pre(expected.errors === undefined);
      const { data, errors } = await gateway.send(query);
      expect(errors, query).toBeUndefined();
      // Apart, fields are ordered by fragment, not as they are written; here their order does not matter.
      expect(data, query).toEqual(JSON.parse(JSON.stringify(expected.data)));
      // An operation that once succeeded may then be answered from memory.
      expect(await textOf(gateway, query), query).toBe(JSON.stringify({ data }));
    });
    await fc.assert(property, { seed: 20_261_121, numRuns: runs(shape === 'in process' ? 16 : 6) });
    const fromMemory = gateway.log.filter(({ fields }) => fields['way'] === 'whole response');
    expect(fromMemory.length).toBeGreaterThan(0);
  });

  it('fail in the same places each time, also beside a question about the schema', async () => {
    const flaky = await openGateway({ shape, resolvers: failing });
    const seen = { errors: 0 };
    const property = fc.asyncProperty(fc.gen(), async (random) => {
      const query = writeQuery(schema, random);
      const first = await flaky.send(query);
      const again = await flaky.send(query);
      expect(again.data, query).toEqual(first.data);
      expect(places(again.errors), query).toEqual(places(first.errors));
      // Few are refused: two different fields have one name.
      fc.pre(first.data !== undefined);
      // Apart, a question about the schema makes the library execute the whole operation.
      const { data, errors } = await flaky.send(query.replace('{', '{ of_the_schema: __schema { __typename }'));
      const { of_the_schema, ...rest } = data ?? {};
      expect(of_the_schema ?? data, query).toEqual(data === null ? null : { __typename: '__Schema' });
      expect(first.data, query).toEqual(data === null ? null : rest);
      expect(places(first.errors), query).toEqual(places(errors));
      seen.errors += errors?.length ?? 0;
    });
    await fc.assert(property, { seed: 20_261_122, numRuns: runs(shape === 'in process' ? 10 : 6) });
    await flaky.close();
    expect(seen.errors).toBeGreaterThan(runs(3));
  });
});

function places(errors: Awaited<ReturnType<OpenedGateway['send']>>['errors'] = []): string[] {
  return errors.map(({ path, message, extensions }) => JSON.stringify([path, message, extensions['code']])).sort();
}

async function textOf({ url }: OpenedGateway, query: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).text();
}
