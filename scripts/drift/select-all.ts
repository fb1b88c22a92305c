import { type GraphQLField, type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql';

/** No object of a service is nested deeper. */
const MAX_DEPTH = 8;

/**
 * A selection of all of a type's own fields: none with arguments, which are joins or other calls, none named in
 * `skips`, and no type within itself.
 */
export function selectAll(type: GraphQLObjectType, skips: ReadonlySet<string>, above: readonly string[] = []): string {
  const within = [...above, type.name];
  const parts = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.length > 0 || skips.has(`${type.name}.${field.name}`)) return [];
    return selectField(field, skips, within) ?? [];
  });
  return `{ ${parts.join(' ')} }`;
}

function selectField(
  { name, type }: GraphQLField<unknown, unknown>,
  skips: ReadonlySet<string>,
  above: readonly string[],
): string | null {
  const named = getNamedType(type);
  if (isLeafType(named)) return name;
  // A commune below another object is a join, with a call for each.
  if (!isObjectType(named) || named.name === 'Commune' || above.includes(named.name) || above.length >= MAX_DEPTH)
    return null;
  const below = selectAll(named, skips, above);
  return below === '{  }' ? null : `${name} ${below}`;
}
