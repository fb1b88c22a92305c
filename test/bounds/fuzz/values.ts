import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import type { Chance } from '../../sim/chance.js';
import type { Words } from './words.js';

interface Drawing {
  /** Name of the field to which the argument belongs. */
  readonly field: string;
  readonly words: Words;
  readonly chance: Chance;
  readonly listLength: number;
}

/** A valid value for the argument, as JSON. */
export function drawValue({ name, type }: Pick<GraphQLArgument, 'name' | 'type'>, drawing: Drawing): unknown {
  const { chance, listLength } = drawing;
  const draw = () => drawOne(name, type, drawing);
  if (!isListType(getNullableType(type))) return draw();
  const values = Array.from({ length: listLength }, (_, index) => lengthen(draw(), index));
  return values.length > 0 && chance.happens(0.5) ? [...new Set(values)] : values;
}

/** Makes the values of a list distinct, if the type takes any text. */
function lengthen(value: unknown, index: number): unknown {
  return typeof value === 'string' && / |[a-z]{3}/.test(value) ? `${value} ${index}` : value;
}

function drawOne(name: string, type: GraphQLInputType, { field, words, chance, listLength }: Drawing): unknown {
  const named = getNamedType(type);
  if (isEnumType(named)) return chance.pick(named.getValues()).name;
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).filter(() => chance.happens(0.7));
    return Object.fromEntries(fields.map((one) => [one.name, drawValue(one, { field, words, chance, listLength })]));
  }
  const known = words[`${field}.${name}`] ?? words[named.name] ?? words[name];
  if (known !== undefined && known.length > 0) return chance.pick(known);
  if (named.name === 'Boolean') return chance.happens(0.5);
  if (named.name === 'Int' || named.name === 'Float') return chance.int(1, 20);
  return chance.pick(['a', 'Paris', 'inconnu']);
}

/** The value as a GraphQL literal. */
export function printValue(value: unknown, type: GraphQLInputType): string {
  const inner = getNullableType(type);
  if (isListType(inner) && Array.isArray(value)) {
    return `[${value.map((item) => printValue(item, inner.ofType)).join(', ')}]`;
  }
  const named = getNamedType(type);
  if (isEnumType(named)) return String(value);
  if (!isInputObjectType(named)) return JSON.stringify(value);
  const fields = named.getFields();
  const parts = Object.entries(value as object).map(([key, part]) => `${key}: ${printValue(part, fields[key]!.type)}`);
  return `{ ${parts.join(', ')} }`;
}
