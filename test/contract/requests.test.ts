import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { api, readContract } from './graph.js';

interface RequestRow {
  readonly service: string;
  readonly operation: string;
  readonly name: string;
  readonly root?: string;
  readonly argument?: string;
  readonly designName?: string;
  readonly secret?: boolean;
  readonly const?: string;
  readonly multiple?: string;
  readonly rule?: string;
}

interface WriteRow {
  readonly graphql: string;
  readonly path: string;
  readonly kind: string;
  readonly list: boolean;
  readonly required: boolean | 'implied' | 'unstated';
  readonly default?: unknown;
}

const requests = readContract<RequestRow>('requests');
const writes = readContract<WriteRow>('writes');

/** Parameters and operations that no argument reaches, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  redirect_uri: 'built from PUBLIC_URL alone: a caller must not choose where a code is sent',
  'Offre Emploi: widget /postuler': 'a page for people, not a request of the service',
};

const reachable = requests.filter(
  (row) =>
    !row.secret && row.const === undefined && LEFT_OUT[row.name] === undefined && LEFT_OUT[row.operation] === undefined,
);

describe('Every documented request parameter is reached by an argument', () => {
  test.each(reachable.map((row) => [`${row.operation} ${row.name}`, row] as const))('%s', (_name, row) => {
    const root = rootField(row.root ?? '');
    expect(root, `${row.root} is no root field`).toBeDefined();
    const name = row.designName ?? row.argument;
    const argument = root?.args.find(
      (arg) => arg.name === name || (arg.name === 'input' && fieldOf(arg.type, name) !== undefined),
    );
    const body = root?.args.find((arg) => arg.name === 'input');
    expect(name === undefined ? body : argument, `${row.root} has no argument ${name ?? 'input'}`).toBeDefined();
    if (row.multiple === 'comma') expect(isListType(getNullableType(argument?.type))).toBe(true);
  });

  test('nothing is left out without a reason', () => {
    const silent = requests.filter((row) => !reachable.includes(row) && !row.secret && row.const === undefined);
    for (const row of silent) expect(LEFT_OUT[row.name] ?? LEFT_OUT[row.operation]).toBeDefined();
  });

  afterAll(() => {
    const secret = requests.filter((row) => row.secret || row.const !== undefined).length;
    console.log(
      `contract: ${reachable.length} of ${reachable.length} reachable parameters; ${secret} are credentials or constants that the product fills in; ` +
        `left out: ${Object.entries(LEFT_OUT)
          .map(([name, why]) => `${name} (${why})`)
          .join('; ')}`,
    );
  });
});

test('no argument takes a word that stands for those that are unknown here', () => {
  const types = Object.values(api.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const inputs = types.flatMap((type) => {
    if (isInputObjectType(type)) return Object.values(type.getFields());
    return isObjectType(type) ? Object.values(type.getFields()).flatMap(({ args }) => args) : [];
  });
  const enums = inputs.map(({ type }) => getNamedType(type)).filter(isEnumType);
  expect(enums.length).toBeGreaterThan(10);
  // Lists of the daily export, which is read here, also have offers of an unknown status; publishing refuses the word.
  const others = enums.filter(({ name }) => name !== 'JobOfferStatus');
  for (const type of others) expect(type.getValue('OTHER') === undefined, type.name).toBe(true);
});

describe('Every key of a written offer is in JobOfferInput', () => {
  test.each(writes.map((row) => [row.path, row] as const))('%s', (_path, row) => {
    let type: GraphQLInputType | undefined = api.getType('JobOfferInput') as GraphQLInputType | undefined;
    for (const name of row.graphql.split('.')) type = type && fieldOf(type, name)?.type;
    expect(type, `${row.graphql} is missing`).toBeDefined();
    if (type === undefined) return;
    // What the service requires is non-null here; what has a default or is optional may be left out.
    if (row.required === true) expect(isNonNullType(type)).toBe(true);
    if (row.required === false) expect(isNonNullType(type)).toBe(false);
    expect(isListType(getNullableType(type))).toBe(row.list);
    if (row.kind === 'enum') expect(isEnumType(getNamedType(type))).toBe(true);
    if (row.kind === 'object') expect(isInputObjectType(getNamedType(type))).toBe(true);
  });
});

function rootField(name: string) {
  return api.getQueryType()?.getFields()[name] ?? api.getMutationType()?.getFields()[name];
}

function fieldOf(type: GraphQLInputType, name: string | undefined) {
  const named = getNamedType(type);
  return isInputObjectType(named) && name !== undefined ? named.getFields()[name] : undefined;
}
