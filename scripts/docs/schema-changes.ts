import {
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getDirectiveValues,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** Additions, which are listed as such. */
const OPTIONAL: ReadonlySet<string> = new Set(['OPTIONAL_ARG_ADDED', 'OPTIONAL_INPUT_FIELD_ADDED']);

/** How the reason of a deprecation ends: until when the element stays. */
const DATED = /\bUntil \d{4}-\d{2}-\d{2}\.$/;

/**
 * What clients notice between two schemas, as a list for people: breaking first, then additions and deprecations. Throws
 * an Error if something is deprecated without a date.
 */
export function schemaChanges(before: GraphQLSchema, after: GraphQLSchema): string {
  const was = membersOf(before);
  const is = membersOf(after);
  const added = [...is.keys()].filter((name) => !was.has(name));
  // What a new type, or a new field, contains goes without saying.
  const isTop = (name: string) => !added.some((other) => name !== other && new RegExp(`^${other}[.(]`).test(name));
  const deprecated = [...is].filter(([name, reason]) => reason !== null && was.get(name) !== reason);
  const undated = deprecated.filter(([, reason]) => !DATED.test(reason ?? '')).map(([name]) => name);
  if (undated.length > 0)
    throw new Error(`Deprecated without a date: ${undated}. End each reason with one: "Until 2027-06-01."`);
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Breaking', sentences([...findBreakingChanges(before, after), ...findNewNulls(before, after)])],
    ['May surprise', sentences(findDangerousChanges(before, after).filter(({ type }) => !OPTIONAL.has(type)))],
    ['Deprecated', deprecated.map(([name, reason]) => `\`${name}\`: ${reason}`)],
    ['Added', added.filter(isTop).map((name) => `\`${name}\``)],
  ];
  const written = sections.filter(([, lines]) => lines.length > 0);
  if (written.length === 0) return 'Nothing.';
  return written.map(([title, lines]) => `**${title}**\n\n${lines.map((line) => `- ${line}`).join('\n')}`).join('\n\n');
}

interface Change {
  readonly description: string;
}

/** Fields that lose a `@semanticNonNull`, and with it types without null in clients that throw errors. */
function findNewNulls(before: GraphQLSchema, after: GraphQLSchema): readonly Change[] {
  return Object.values(before.getTypeMap()).flatMap((type) => {
    const now = after.getType(type.name);
    if (!isObjectType(type) || !isObjectType(now)) return [];
    return Object.values(type.getFields()).flatMap((field) => {
      const kept = now.getFields()[field.name];
      if (kept === undefined) return [];
      const levels = new Set([...markedLevels(after, kept), ...nonNullLevels(kept.type)]);
      if (markedLevels(before, field).every((level) => levels.has(level))) return [];
      return [{ description: `${type.name}.${field.name} may be null without an error.` }];
    });
  });
}

/** Depths of lists at which a field is null only with an error. */
function markedLevels(schema: GraphQLSchema, { astNode }: GraphQLField<unknown, unknown>): readonly unknown[] {
  const directive = schema.getDirective('semanticNonNull');
  const marks = directive && astNode ? getDirectiveValues(directive, astNode) : undefined;
  return (marks?.['levels'] ?? []) as readonly unknown[];
}

/** Depths of lists at which a type is never null. */
function nonNullLevels(type: GraphQLOutputType, level = 0): readonly number[] {
  if (isNonNullType(type)) return [level, ...nonNullLevels(type.ofType, level)];
  return isListType(type) ? nonNullLevels(type.ofType, level + 1) : [];
}

function sentences(changes: readonly Change[]): readonly string[] {
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
