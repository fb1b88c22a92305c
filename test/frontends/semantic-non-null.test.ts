import { readFileSync } from 'node:fs';
import { buildSchema, isListType, isNullableType, Kind, parse } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../scenarios/stack.js';
import { shortestSecondTries } from '../shortest-second-tries.js';

/** Each marked root field: arguments that find something, arguments that find nothing, and a selection. */
const ROOTS: Readonly<Record<string, { readonly found: string; readonly empty: string; readonly below: string }>> = {
  missions: { found: '(first: 3)', empty: '(city: ["Nowhere"])', below: '{ nodes { id } edges { node { id } } }' },
  missionSearch: { found: '(first: 3)', empty: '(text: "xyzzyx")', below: '{ nodes { id } edges { node { id } } }' },
  missionCounts: { found: '(by: [DOMAIN])', empty: '(by: [DOMAIN], city: ["Nowhere"])', below: '{ counted }' },
  organizations: { found: '(first: 3)', empty: '(q: "xyzzyx")', below: '{ nodes { id } edges { node { id } } }' },
  communes: { found: '(code: "33000")', empty: '(code: "00000")', below: '{ nom }' },
  communesByName: { found: '(name: "Bordeaux")', empty: '(name: "xyzzyx")', below: '{ nom }' },
  occupationsByName: { found: '(name: "boulanger")', empty: '(name: "xyzzyx")', below: '{ label }' },
  placesByName: { found: '(name: "Bordeaux")', empty: '(name: "xyzzyx")', below: '{ nom }' },
  epcisByName: { found: '(name: "Bordeaux")', empty: '(name: "xyzzyx")', below: '{ nom }' },
  departements: { found: '', empty: '', below: '{ nom }' },
  missionsLocales: { found: '', empty: '(latitude: 0, longitude: 0, radius: 1)', below: '{ nom }' },
  certifications: {
    found: '(rncp: "RNCP37098")',
    empty: '(rncp: "RNCP99999")',
    below: '{ nodes { id } edges { node { id } } }',
  },
  jobSearch: {
    found: '(departements: ["75"])',
    empty: '(departements: ["976"], romes: ["A1101"])',
    below: '{ truncated }',
  },
  formations: { found: '(first: 3)', empty: '(romes: ["A1101"])', below: '{ nodes { id } edges { node { id } } }' },
  organismes: { found: '(first: 3)', empty: '(first: 3)', below: '{ nodes { id } edges { node { id } } }' },
};

/** Answered from official lists, without a call. */
const WITHOUT_CALL = new Set(['communesByName', 'epcisByName', 'occupationsByName', 'placesByName']);

describe('@semanticNonNull', () => {
  const sdl = readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8');
  const marked = parse(sdl).definitions.flatMap((definition) =>
    definition.kind !== Kind.OBJECT_TYPE_DEFINITION
      ? []
      : (definition.fields ?? []).flatMap(({ name, directives = [] }) =>
          directives.some((one) => one.name.value === 'semanticNonNull')
            ? [`${definition.name.value}.${name.value}`]
            : [],
        ),
  );

  it('stands on fields that stay nullable, and on every root field that is tested here', () => {
    const schema = buildSchema(sdl);
    for (const place of marked) {
      const [type = '', field = ''] = place.split('.');
      const of = schema.getType(type);
      const found = of !== undefined && 'getFields' in of ? of.getFields()[field] : undefined;
      expect(found !== undefined && isNullableType('type' in found ? found.type : undefined), place).toBe(true);
    }
    expect(marked).toEqual(expect.arrayContaining(['MissionConnection.nodes', 'MissionEdge.node']));
    const roots = marked.flatMap((place) => (place.startsWith('Query.') ? [place.slice('Query.'.length)] : []));
    expect(roots.sort()).toEqual(Object.keys(ROOTS).sort());
    expect(isListType(schema.getQueryType()?.getFields()['departements']?.type)).toBe(true);
  });
});

shortestSecondTries();

describe.each(['today'] as const)('In the era %s, a field that is marked', (era) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape: 'in process', sandbox: { era, scale: 0.1 } });
  });
  afterEach(() => {
    for (const service of stack.sandbox.running) service.clearFaults();
  });
  afterAll(() => stack.close());

  it.each(Object.entries(ROOTS))('%s is never null without an error', async (field, { found, empty, below }) => {
    for (const args of [found, empty]) {
      const { data, errors } = await stack.send(`{ ${field}${args} ${below} }`);
      expect(errors).toEqual([]);
      expect(holesIn(data)).toEqual([]);
    }
  });

  it('is null with an error at its path where an entry of a list is none', async () => {
    stack.sandbox.volunteering.fault({ kind: 'wrong-type', path: '/v0/mission', set: { '/data/1': 7 } });
    const { data, errors } = await stack.send('{ missions(first: 7) { nodes { id } edges { node { id } } } }');
    expect(holesIn(data)).toEqual(expect.arrayContaining(['missions.nodes.1']));
    for (const hole of holesIn(data)) expect(errors.map(({ path }) => path?.join('.'))).toContain(hole);
  });

  it.each(Object.entries(ROOTS))(
    '%s is null with an error at its path where the source is away',
    async (field, { found, below }) => {
      for (const service of stack.sandbox.running) service.fault({ kind: 'status', status: 503 });
      // Other arguments, so that nothing is cached.
      const { data, errors } = await stack.send(`{ ${field}${found.replace('3', '4')} ${below} }`, {
        headers: {
          'x-volunteering-key': stack.sandbox.keys.volunteering.alice,
          'x-work-study-key': stack.sandbox.keys.workStudy.alice,
        },
      });
      const holes = holesIn(data);
      for (const hole of holes) expect(errors.map(({ path }) => path?.join('.'))).toContain(hole);
      if (WITHOUT_CALL.has(field)) expect(holes.every((hole) => hole.endsWith('.nom'))).toBe(true);
    },
  );
});

/** Paths of all nulls. */
function holesIn(value: unknown, path: readonly (string | number)[] = []): string[] {
  if (value === null) return [path.join('.')];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, below]) => holesIn(below, [...path, key]));
}
