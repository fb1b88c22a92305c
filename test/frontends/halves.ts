import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** Two selections of one type that share only `id` and together select everything that takes no argument. */
export type Halves = readonly [string, string];

/**
 * Splits a type's fields in two. Objects without an id are split further, since a cache has to merge them; a list of
 * such objects is in one half as a whole, since no cache can tell its items apart. Other entities have only their id.
 * With `parts` false, every object without an id is in one half as a whole.
 */
export function halvesOf(schema: GraphQLSchema, typeName: string, parts = true): Halves {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`The graph has no object type ${typeName}.`);
  const halves: [string[], string[]] = [['id'], ['id']];
  for (const [place, field] of fieldsOf(type).entries()) {
    const of = getNamedType(field.type);
    if (parts && isObjectType(of) && !isEntity(of) && !isList(field)) {
      for (const [half, part] of halvesOfValue(of).entries())
        if (part !== '') halves[half]?.push(`${field.name} { ${part} }`);
    } else halves[place % 2]?.push(whole(field));
  }
  return [halves[0].join(' '), halves[1].join(' ')];
}

function halvesOfValue(type: GraphQLObjectType): Halves {
  const halves: [string[], string[]] = [[], []];
  for (const [place, field] of fieldsOf(type).entries()) halves[place % 2]?.push(whole(field));
  return [halves[0].join(' '), halves[1].join(' ')];
}

/** A field with all of its parts, or with only the id if it is an entity. */
function whole(field: GraphQLField<unknown, unknown>): string {
  const of = getNamedType(field.type);
  if (!isObjectType(of)) return field.name;
  return `${field.name} { ${isEntity(of) ? 'id' : fieldsOf(of).map(whole).join(' ')} }`;
}

/** Fields without arguments: lists with pages are queried by themselves. */
function fieldsOf(type: GraphQLObjectType): GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields()).filter(
    ({ name, args, type: of }) => name !== 'id' && args.length === 0 && (isLeafType(getNamedType(of)) || isPlain(of)),
  );
}

function isPlain(of: GraphQLField<unknown, unknown>['type']): boolean {
  return isObjectType(getNamedType(of));
}

/** Whether its objects have an id, which is unique in the graph. */
export function isEntity(type: GraphQLObjectType): boolean {
  return 'id' in type.getFields();
}

function isList({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}
