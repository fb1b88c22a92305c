import { execute, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainMissions, the } from '../scenarios/samples.js';
import { type Stack, startStack, USUAL_SHAPE } from '../scenarios/stack.js';
import { API_SCHEMA } from './support/api-schema.js';
import { createPlainGraph } from './support/plain-graph.js';
import { post } from './support/post.js';

const FRAGMENTS: Readonly<Record<string, string>> = {
  M: `fragment M on Mission {
    id title city postalCode addresses { city location { lat lon } }
    commune { id nom } communeMatch { method } organization { id title } }`,
  C: `fragment C on Commune {
    id nom code { insee postaux } localisation { centre { coordinates } }
    departement { nom region { nom } } missionLocale { nom } }`,
  O: `fragment O on Organization {
    id rna siret title addressCity commune { id nom } workplaces { siret name } workplacesComplete }`,
};

/** Lists of objects, and the field that finds one of them by its key. */
const LISTS: readonly (readonly [list: string, fragment: string, byKey: (object: Found) => string])[] = [
  ['missions(first: 6) { nodes { ...M } }', 'M', ({ id }) => `mission(id: "${id}")`],
  ['missionSearch(first: 6, text: "les") { nodes { ...M } }', 'M', ({ id }) => `mission(id: "${id}")`],
  ['commune(insee: "75056") { missions(first: 6) { nodes { ...M } } }', 'M', ({ id }) => `mission(id: "${id}")`],
  ['missions(first: 6) { nodes { commune { ...C } } }', 'C', ({ code }) => `commune(insee: "${code?.insee}")`],
  ['communesByName(name: "saint", first: 5) { ...C }', 'C', ({ code }) => `commune(insee: "${code?.insee}")`],
  ['missions(first: 6) { nodes { organization { ...O } } }', 'O', ({ rna }) => `organization(rna: "${rna}")`],
];

interface Found {
  readonly id: string;
  readonly rna?: string | null;
  readonly code?: { readonly insee: string };
}

describe.each(USUAL_SHAPE)('The plain data that others are compared with, %s', (shape) => {
  let stack: Stack;
  let resolver: ReturnType<typeof createPlainGraph>;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 }, env: { MAX_CALLS_PER_REQUEST: '1000000' } });
    // Responses are compared, each of which has fetched the missions for itself.
    stack.sandbox.volunteering.order = 'stable';
    resolver = createPlainGraph((query) => post(stack.url, { query }));
  });
  afterAll(() => stack.close());

  async function plain(field: string, fragment = '') {
    const document = parse(`{ ${field} } ${FRAGMENTS[fragment] ?? ''}`);
    const { data, errors } = await execute({ schema: API_SCHEMA, document, rootValue: {}, fieldResolver: resolver });
    expect(errors).toBeUndefined();
    return JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
  }

  test.each(LISTS)('is one graph: each object of %s is the one that its key finds', async (list, fragment, byKey) => {
    const objects = objectsIn(await plain(list, fragment)).filter(({ rna }) => rna !== null);
    expect(objects.length).toBeGreaterThan(2);
    for (const object of objects) {
      const [found] = Object.values(await plain(`${byKey(object)} { ...${fragment} }`, fragment));
      expect(found).toEqual(object);
    }
  });

  test('is what the services have: the commune and the organization of missions', async () => {
    const { world } = stack.sandbox;
    for (const mission of plainMissions(world).slice(0, 5)) {
      const found = await plain(
        `mission(id: "${mission.id}") { title commune { code { insee } nom } organization { rna title } }`,
      );
      const commune = the(world.communes.find(({ code }) => (code as { insee: string }).insee === mission.insee));
      const titles = world.organizations.filter(({ rna }) => rna === mission.rna).map(({ title }) => title);
      expect(found).toEqual({
        mission: {
          title: mission.title,
          commune: { code: { insee: mission.insee }, nom: commune['nom'] },
          organization: { rna: mission.rna, title: expect.toSatisfy((title) => titles.includes(title)) },
        },
      });
    }
  });
});

/** The outermost objects with an `id`. */
function objectsIn(value: unknown): Found[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  return 'id' in value ? [value as Found] : Object.values(value).flatMap(objectsIn);
}
