import fc from 'fast-check';
import {
  type DocumentNode,
  execute,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isListType,
  isObjectType,
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { createVolunteeringSubgraph } from '../../subgraphs/volunteering/index.js';
import { operationFor } from '../subgraph-harness.js';
import { scriptedSource } from './support/scripted-source.js';

/** The service's key for a field of the graph, if it differs (volunteering 12.2.1, 12.2.2, 12.2.3). */
const KEYS: Readonly<Record<string, string>> = {
  id: '_id',
  version: '__v',
  distance: '_distance',
  softSkills: 'soft_skills',
};

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', 'W751206979', '55204944776279', '01000'),
);
const moments = fc.constantFrom(
  '2026-01-31',
  '2026-01-31T23:59:59+02:00',
  '2020-10-30T11:58:51.387Z',
  '0001-01-01T00:00:00.000Z',
);
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));

/** The service's words for closed vocabularies, which the graph writes in capitals. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  remote: ['no', 'possible', 'full', 'local'],
  statusCode: ['ACCEPTED', 'REFUSED'],
  compensationUnit: ['hour', 'day', 'month', 'year'],
  compensationType: ['gross', 'net'],
  geolocStatus: [
    'ENRICHED_BY_PUBLISHER',
    'ENRICHED_BY_API',
    'ENRICHED',
    'NOT_FOUND',
    'NO_DATA',
    'SHOULD_ENRICH',
    'FAILED',
  ],
};

/** Fields that the graph derives from others, or that another resource resolves. */
const MADE = new Set([
  'organization',
  'organizationUnknown',
  'firstAddress',
  'missions',
  'missionsUnknown',
  ...Object.keys(WORDS).map((field) => `${field}Raw`),
]);

type Built = Record<string, unknown>;
interface Sample {
  /** The value as the service sends it. */
  readonly sent: Built;
  /** The value as the graph must show it. */
  readonly shown: Built;
}

const source = scriptedSource();
const subgraph = createVolunteeringSubgraph({ upstream: source });
const typeOf = (name: string): GraphQLObjectType => {
  const type = subgraph.schema.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is no object type`);
  return type;
};

/** Random objects with every field of a type, each of its documented kind, null or absent. */
function samplesOf(typeName: string): fc.Arbitrary<Sample> {
  const entries = Object.values(typeOf(typeName).getFields())
    .filter(({ name }) => !MADE.has(name))
    .map(({ name, type }) => {
      const named = getNamedType(type);
      const one = isObjectType(named) ? samplesOf(named.name) : leaf(name, named.name);
      const value = isListType(type) ? fc.array(one, { maxLength: 3 }).map(collect) : one;
      const always = name === 'id' && typeName !== 'MissionAddress';
      const optional = fc.oneof(
        { weight: 8, arbitrary: value },
        { weight: 1, arbitrary: fc.constant(NULL) },
        { weight: 1, arbitrary: fc.constant(ABSENT) },
      );
      // An empty identifier counts as missing.
      return [name, always ? value.filter(({ sent }) => sent !== '') : optional] as const;
    });
  return fc.record(Object.fromEntries(entries)).map((fields) => {
    const sent: Built = {};
    const shown: Built = {};
    for (const [name, field] of Object.entries(fields)) {
      if (field !== ABSENT)
        sent[KEYS[name] && (name !== 'id' || typeName !== 'MissionAddress') ? (KEYS[name] ?? name) : name] = field.sent;
      shown[name] = field.shown;
    }
    return { sent, shown };
  });
}

interface Value {
  readonly sent: unknown;
  readonly shown: unknown;
}

const NULL: Value = { sent: null, shown: null };
const ABSENT: Value = { sent: undefined, shown: null };

function leaf(field: string, typeName: string): fc.Arbitrary<Value> {
  const words = WORDS[field];
  if (words !== undefined) return fc.constantFrom(...words).map((word) => ({ sent: word, shown: word.toUpperCase() }));
  switch (typeName) {
    case 'Float':
      return numbers.map(same);
    case 'DateTime':
      return moments.map(same);
    case 'Boolean':
      return field === 'isRUP'
        ? fc.boolean().map(same)
        : fc.constantFrom<Value>(
            { sent: true, shown: true },
            { sent: 'yes', shown: true },
            { sent: false, shown: false },
            { sent: 'no', shown: false },
          );
    default:
      return texts.map(same);
  }
}

const same = (value: unknown): Value => ({ sent: value, shown: value });
const collect = (values: readonly Value[]): Value => ({
  sent: values.map(({ sent }) => sent),
  shown: values.map(({ shown }) => shown),
});

/** A selection of all fields of a type that come from the source itself. */
function selectionOf(typeName: string): string {
  const fields = Object.values(typeOf(typeName).getFields()).filter(({ name }) => !MADE.has(name));
  return fields
    .map(({ name, type }) => {
      const named = getNamedType(type);
      return isLeafType(named) ? name : `${name} { ${selectionOf(named.name)} }`;
    })
    .join(' ');
}

async function send(query: DocumentNode, body: unknown) {
  source.body = body;
  const contextValue = subgraph.contextFor(operationFor({}));
  return execute({ schema: subgraph.schema, document: query, contextValue });
}

const MISSIONS = parse(`{ missions { nodes { ${selectionOf('Mission')} } } }`);
const ORGANIZATIONS = parse(`{ organizations { nodes { ${selectionOf('Organization')} } } }`);
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

describe('values of the source', () => {
  it('pass through missions unchanged, whatever the documented shape allows', async () => {
    const samples = samplesOf('Mission');
    await fc.assert(
      fc.asyncProperty(fc.array(samples, { minLength: 1, maxLength: 2 }), async (missions) => {
        const body = { ok: true, total: 2, data: missions.map(({ sent }) => sent) };
        const { data, errors } = await send(MISSIONS, body);
        expect(errors).toBeUndefined();
        // Today's service has the region only in the addresses.
        const shown = missions.map(({ shown: fields, sent }) => ({
          ...fields,
          region: fields['region'] ?? regionOf(sent),
        }));
        expect(plain(data?.['missions'])).toEqual(plain({ nodes: shown }));
      }),
      { numRuns: 150, seed: 1901 },
    );
  });

  it('pass through organizations unchanged, whatever the documented shape allows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(samplesOf('Organization'), { minLength: 1, maxLength: 2 }), async (organizations) => {
        const body = { ok: true, data: organizations.map(({ sent }) => sent) };
        const { data, errors } = await send(ORGANIZATIONS, body);
        expect(errors).toBeUndefined();
        expect(plain(data?.['organizations'])).toEqual(plain({ nodes: organizations.map(({ shown }) => shown) }));
      }),
      { numRuns: 150, seed: 1901 },
    );
  });

  it('of a wrong type are the coded error of their own field; the rest of the list stands', async () => {
    const fields = Object.keys(typeOf('Mission').getFields()).filter((name) => !MADE.has(name) && name !== 'id');
    const [sample] = fc.sample(samplesOf('Mission'), { numRuns: 1, seed: 7 });
    for (const field of fields) {
      // An object in place of a leaf or a list, or a text in place of an object.
      const wrong = field === 'location' ? 'somewhere' : { wrong: true };
      const broken = { ...sample?.sent, [KEYS[field] ?? field]: wrong };
      source.drifts.length = 0;
      const body = { ok: true, total: 2, data: [broken, { _id: 'sound', title: 'Sound' }] };
      const { data, errors = [] } = await send(MISSIONS, body);
      expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions['code']])).toEqual([
        [`missions.nodes.0.${field}`, 'UPSTREAM_INVALID_RESPONSE'],
      ]);
      expect(plain(data)).toMatchObject({ missions: { nodes: [{ [field]: null }, { id: 'sound', title: 'Sound' }] } });
      expect(source.drifts).toContain(`Mission.${KEYS[field] ?? field}`);
    }
  });

  it('never crash anything in place of a whole response', async () => {
    const query = parse(
      '{ missions { totalCount nodes { id } } missionSearch { facets { domains { key } } } organizations { totalCount } mission(id: "m") { id } }',
    );
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (body) => {
        const { errors = [] } = await send(query, body);
        for (const { extensions } of errors) expect(extensions['code']).toBe('UPSTREAM_INVALID_RESPONSE');
      }),
      { numRuns: 300, seed: 1901 },
    );
  });
});

function regionOf(sent: Built): unknown {
  const [first] = Array.isArray(sent['addresses']) ? sent['addresses'] : [];
  return first?.region ?? null;
}
