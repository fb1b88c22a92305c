import {
  buildClientSchema,
  executeSync,
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  introspectionTypes,
  isNonNullType,
  isObjectType,
  lexicographicSortSchema,
  parse,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../runs.js';
import { type Stack, startStack, USUAL_SHAPE } from '../scenarios/stack.js';
import { API_SCHEMA } from './support/api-schema.js';
import { generatedOperation, type Operation, type Root } from './support/generated-operation.js';
import { post } from './support/post.js';

/** One type of each kind. */
const NAMES = ['Commune', 'Source', 'WorkStudySource', 'MissionRemote', 'JobOfferInput', 'SIRET', '__Type'];
const META_TYPES = introspectionTypes.filter(isObjectType);

/** How each type of the schema's schema is reached from the root. */
const WAYS: Readonly<Record<string, (selection: string) => string>> = {
  __Schema: (selection) => `__schema { ${selection} }`,
  __Type: (selection) => NAMES.map((name) => `${name}: __type(name: "${name}") { ${selection} }`).join(' '),
  __Field: (selection) => `__type(name: "Commune") { fields { ${selection} } }`,
  __InputValue: (selection) => `__type(name: "Commune") { fields { args { ${selection} } } }`,
  __EnumValue: (selection) => `__type(name: "MissionRemote") { enumValues { ${selection} } }`,
  __Directive: (selection) => `__schema { directives { ${selection} } }`,
};

/** A query's data beside the schema, and what it is. */
const DATA = 'found: commune(insee: "75056") { nom }';
const FOUND = { found: { nom: 'Paris' } };

/** Options of the query that tools send, each alone and all at once. */
const OPTIONS = {
  descriptions: false,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};
const ALL = { ...OPTIONS, descriptions: true };
const QUERIES: readonly (readonly [name: string, query: string])[] = [
  ['no option', getIntrospectionQuery()],
  ['all options', getIntrospectionQuery(ALL)],
];

const ROOTS: readonly Root[] = [
  { name: '__schema', values: {} },
  ...[...NAMES, 'Query', 'Nobody'].map((name) => ({ name: '__type', values: { name } })),
];

/** What is sent with a query, and the data that it finds beside the schema. */
interface More extends Omit<Partial<Operation>, 'query'> {
  readonly beside?: object;
}

describe.each(USUAL_SHAPE)('The schema, %s', (shape) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
  });
  afterAll(() => stack.close());

  /** What is wrong with the response to a query of the schema, beside this data; nothing if nothing is. */
  async function wrongIn(query: string, { beside = {}, ...more }: More = {}): Promise<string[]> {
    const { variables = {}, operationName = null } = more;
    const document = parse(query);
    const { data } = executeSync({ schema: API_SCHEMA, document, variableValues: variables, operationName });
    const response = await post(stack.url, { query, variables, operationName });
    const codes = response.errors.map(({ extensions, message }) => `${extensions.code} (${message})`);
    if (response.status !== 200 || codes.length > 0) return [`${query}: ${response.status} ${codes}`];
    const [is, not] = [response.data, { ...data, ...beside }].map((value) => JSON.stringify(sorted(value)));
    return is === not ? [] : [`${query}\n  is  ${is}\n  not ${not}`];
  }

  const typesWithFields = META_TYPES.map((type) => [type.name, fieldTexts(type)] as const);

  /** Ways to select a field of a type: as it is, in fragments of that type, and in a fragment of the root. */
  function selections(type: string, field: string, data: string): string[] {
    const reach = WAYS[type] ?? ((selection) => selection);
    return [
      `{ ${reach(field)} ${data} }`,
      `{ ${reach('...F')} ${data} } fragment F on ${type} { ... on ${type} { key: ${field} } }`,
      `{ ...Root ${data} } fragment Root on Query { ${reach(field)} }`,
    ];
  }

  test.each(typesWithFields)('has all that %s lists, alone and beside data', async (type, fields) => {
    const wrong: string[] = [];
    for (const [at, field] of fields.entries()) {
      // Each field in one of the ways, alone in the next one, each way with a third of the fields.
      const [alone, beside] = [selections(type, field, ''), selections(type, field, DATA)];
      const next = alone[(at + 1) % alone.length] ?? '';
      wrong.push(...(await wrongIn(next)));
      wrong.push(...(await wrongIn(beside[at % beside.length] ?? '', { beside: FOUND })));
    }
    expect(wrong.length, wrong.join('\n')).toBe(0);
  });

  test('lists the fields and arguments of its own types', async () => {
    const types = META_TYPES.map(
      ({ name }) =>
        `${name}: __type(name: "${name}") { fields(includeDeprecated: true) { name args(includeDeprecated: true) { name } } }`,
    );
    expect(await wrongIn(`{ ${types.join(' ')} }`)).toEqual([]);
  });

  test('takes its arguments from variables', async () => {
    const query = `query ($name: String!, $all: Boolean = true) { __type(name: $name) { fields(includeDeprecated: $all) { name } } }`;
    for (const variables of [{ name: 'Mission' }, { name: 'Source', all: false }, { name: 'Nobody', all: null }]) {
      expect(await wrongIn(query, { variables })).toEqual([]);
    }
  });

  test.each(QUERIES)('is read by tools, with %s', async (_name, query) => {
    expect((await wrongIn(query)).join()).toBe('');
  });

  test('is the one that is written down, once a tool has read it', async () => {
    const { data } = await post(stack.url, { query: getIntrospectionQuery(ALL) });
    const [read, written] = [buildClientSchema(data), API_SCHEMA].map((one) =>
      printSchema(lexicographicSortSchema(one)),
    );
    expect(read).toBe(written);
  });

  test('is answered right to generated operations, or too large to be executed', async () => {
    const wrong: string[] = [];
    let large = 0;
    for (let seed = 0; seed < runs(15); seed += 1) {
      const { query, ...more } = generatedOperation(seed, ROOTS);
      const [text] = await wrongIn(query, more);
      if (text?.includes('400 GRAPHQL_VALIDATION_FAILED')) large += 1;
      else if (text !== undefined) wrong.push(`seed ${seed}: ${text}`);
    }
    expect(wrong.length, wrong.slice(0, 5).join('\n\n')).toBe(0);
    expect(large).toBeLessThan(runs(15) / 4);
  });
});

/** Every field of a type: without arguments, and with each value of each of its arguments. */
function fieldTexts(type: GraphQLObjectType): string[] {
  return Object.values(type.getFields()).flatMap(({ name, args, type: of }) => {
    const named = getNamedType(of);
    const below = isObjectType(named) ? ` { ${leavesOf(named)} }` : '';
    const texts = args.flatMap((one) => {
      const values = isNonNullType(one.type) ? ['true', 'false'] : ['true', 'false', 'null'];
      return values.map((value) => `(${one.name}: ${value})`);
    });
    return ['', ...texts].map((text) => `${name}${text}${below}`);
  });
}

/** Fields of a type that are values and have been there always; the others are reached by a field of their own. */
function leavesOf(type: GraphQLObjectType): string {
  return 'name' in type.getFields() ? 'name' : '__typename';
}

/** Lists in one order: none of types is better than another. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).sort();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sorted(inner)]));
}
