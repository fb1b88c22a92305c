import {
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';

/** Additions, which are listed as such. */
const OPTIONAL: ReadonlySet<string> = new Set(['OPTIONAL_ARG_ADDED', 'OPTIONAL_INPUT_FIELD_ADDED']);

/** What clients notice between two schemas, as a list for people: breaking first, then additions and deprecations. */
export function schemaChanges(before: GraphQLSchema, after: GraphQLSchema): string {
  const was = membersOf(before);
  const is = membersOf(after);
  const added = [...is.keys()].filter((name) => !was.has(name));
  // What a new type, or a new field, contains goes without saying.
  const isTop = (name: string) => !added.some((other) => name !== other && new RegExp(`^${other}[.(]`).test(name));
  const deprecated = [...is].filter(([name, reason]) => reason !== null && was.get(name) !== reason);
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Breaking', sentences(findBreakingChanges(before, after))],
    ['May surprise', sentences(findDangerousChanges(before, after).filter(({ type }) => !OPTIONAL.has(type)))],
    ['Deprecated', deprecated.map(([name, reason]) => `\`${name}\`: ${reason}`)],
    ['Added', added.filter(isTop).map((name) => `\`${name}\``)],
  ];
  const written = sections.filter(([, lines]) => lines.length > 0);
  if (written.length === 0) return 'Nothing.';
  return written.map(([title, lines]) => `**${title}**\n\n${lines.map((line) => `- ${line}`).join('\n')}`).join('\n\n');
}

function sentences(changes: readonly { readonly description: string }[]): readonly string[] {
  return changes.map(({ description }) => description).sort();
}

/** Every type, field, argument and enum value by its name, with the reason if it is deprecated. */
function membersOf(schema: GraphQLSchema): ReadonlyMap<string, string | null> {
  const members = new Map<string, string | null>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type)) continue;
    members.set(type.name, null);
    if (isEnumType(type)) {
      for (const { name, deprecationReason } of type.getValues())
        members.set(`${type.name}.${name}`, deprecationReason ?? null);
    }
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const place = `${type.name}.${field.name}`;
      members.set(place, field.deprecationReason ?? null);
      if (!('args' in field)) continue;
      for (const { name, deprecationReason } of field.args)
        members.set(`${place}(${name}:)`, deprecationReason ?? null);
    }
  }
  return members;
}
