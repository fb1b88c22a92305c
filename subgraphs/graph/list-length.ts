import {
  defaultFieldResolver,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { badUserInput } from './arguments.js';

/** Most items of a list in an argument: every list becomes part of a URL, or of a body that is checked item by item. */
const MAX_ITEMS = 200;
/** Federation's own field is exempt: how many entities to request at once is up to the gateway. */
const ENTITIES = '_entities';

/**
 * Refuses lists of more than 200 items in the arguments of any field, before its resolver runs. The error is
 * `BAD_USER_INPUT` at the field, and names the argument.
 */
export function boundLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const lists = field.args.filter((argument) => hasList(argument.type));
      if (lists.length > 0 && field.name !== ENTITIES) boundArguments(field, lists);
    }
  }
}

function boundArguments(field: GraphQLField<unknown, unknown>, lists: readonly GraphQLArgument[]): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    for (const { name, type } of lists) checkLists(name, args[name], type);
    return resolve(source, args, context, info);
  };
}

/** Whether an argument contains a list at any depth. A cyclic input type is visited once. */
function hasList(type: GraphQLInputType, seen = new Set<GraphQLInputType>()): boolean {
  if (isNonNullType(type)) return hasList(type.ofType, seen);
  if (isListType(type)) return true;
  if (!isInputObjectType(type) || seen.has(type)) return false;
  seen.add(type);
  return Object.values(type.getFields()).some((field) => hasList(field.type, seen));
}

function checkLists(place: string, value: unknown, type: GraphQLInputType): void {
  if (value === null || value === undefined) return;
  if (isNonNullType(type)) checkLists(place, value, type.ofType);
  else if (isListType(type)) {
    const items = value as readonly unknown[];
    if (items.length > MAX_ITEMS) throw badUserInput(place, `takes at most ${MAX_ITEMS} items`);
    for (const item of items) checkLists(place, item, type.ofType);
  } else if (isInputObjectType(type)) {
    const fields = value as Readonly<Record<string, unknown>>;
    for (const field of Object.values(type.getFields()))
      checkLists(`${place}.${field.name}`, fields[field.name], field.type);
  }
}
