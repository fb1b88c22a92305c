import {
  astFromValue,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  print,
} from 'graphql';
import type { Chance } from '../../chance.js';
import { API_SCHEMA } from './api-schema.js';
import type { Operation } from './generated-operation.js';

const TEXTS = [
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u2028',
    'é',
    '💶',
    '%',
    '%00',
    '..',
    '../../health',
    '/',
    '?a=b&c',
    '#',
    '\\',
    '"',
  ],
  ...['null', 'true', '__proto__', 'constructor', '{}', '-1', '1e400', 'x'.repeat(3_000), '75056', 'les', '\r\nx: y'],
];
const WHOLE = [0, -0, 1, 3, -1, 2_147_483_647, -2_147_483_648];
const NUMBERS = [...WHOLE, 0.5, 48.85, 2.35, 180.1, -90, 1e308, -1e308, 5e-324];
/** What a scalar of our own may be sent as, where a schema does not know its form. */
const ANYTHING = [...TEXTS, ...WHOLE, true, [], {}, ['a'], { a: 1 }];

/** Fields that lead to objects with arguments below the root. */
const WAYS = [
  { type: 'Commune', write: (field: string) => `commune(insee: "75056") { ${field} }` },
  { type: 'Organization', write: (field: string) => `organizations(first: 2, q: "les") { nodes { ${field} } }` },
  {
    type: 'Certification',
    write: (field: string) => `certifications(rncp: "RNCP37537", first: 1) { nodes { ${field} } }`,
  },
  { type: 'Departement', write: (field: string) => `commune(insee: "75056") { departement { ${field} } }` },
  { type: 'Query', write: (field: string) => field },
  { type: 'Query', write: (field: string) => field },
  { type: 'Query', write: (field: string) => field },
];

/** A valid query of one field, whose arguments have values of the right types that nobody would send in earnest. */
export function wildOperation(chance: Chance): Operation {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const { type, write } = chance.pick(WAYS);
  const fields = Object.values((API_SCHEMA.getType(type) as GraphQLObjectType).getFields());
  const field = chance.pick(fields.filter(({ args }) => args.length > 0));
  const texts = field.args.flatMap((argument) => {
    if (!isNonNullType(argument.type) && !chance.once(3)) return [];
    const value = wildValue(argument.type, chance);
    // A text that is no Unicode has no literal.
    if (chance.once(2) || JSON.stringify(value).includes('\\ud800')) {
      const name = `v${declared.length}`;
      declared.push(`$${name}: ${argument.type}`);
      variables[name] = value;
      return [`${argument.name}: $${name}`];
    }
    return [`${argument.name}: ${literal(value, argument.type)}`];
  });
  const named = texts.length === 0 ? '' : `(${texts.join(', ')})`;
  const declarations = declared.length === 0 ? '' : `(${declared.join(', ')})`;
  return { query: `query Wild${declarations} { ${write(`${field.name}${named} ${selectionOf(field)}`)} }`, variables };
}

function wildValue(type: GraphQLInputType, chance: Chance): unknown {
  if (isNonNullType(type)) return wildValue(type.ofType, chance);
  if (chance.once(12)) return null;
  return wildObject(getNullableType(type), chance);
}

function wildObject(type: GraphQLInputType, chance: Chance): unknown {
  if (isNonNullType(type)) return wildObject(type.ofType, chance);
  if (isListType(type)) return Array.from({ length: chance.below(4) }, () => wildObject(type.ofType, chance));
  if (isEnumType(type)) return chance.pick(type.getValues()).name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(({ type: of }) => isNonNullType(of) || chance.once(2));
    return Object.fromEntries(fields.map((one) => [one.name, wildValue(one.type, chance)]));
  }
  switch (getNamedType(type).name) {
    case 'String':
      return chance.pick(TEXTS);
    case 'ID':
      return chance.pick([...TEXTS, ...WHOLE]);
    case 'Int':
      return chance.pick(WHOLE);
    case 'Float':
      return chance.pick(NUMBERS);
    case 'Boolean':
      return chance.once(2);
    default:
      return chance.pick(ANYTHING);
  }
}

function literal(value: unknown, type: GraphQLInputType): string {
  try {
    const node = astFromValue(value, type);
    if (node !== undefined && node !== null) return print(node);
  } catch {
    // An object or a list, for a scalar.
  }
  return JSON.stringify(value).replace(/"(\w+)":/g, '$1: ');
}

/** One level of what a field returns. */
function selectionOf({ type }: GraphQLField<unknown, unknown>): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const leaves = Object.values(named.getFields()).filter(({ type: of }) => !isObjectType(getNamedType(of)));
  return `{ __typename ${leaves.map(({ name }) => name).join(' ')} }`;
}
