import { Kind, parse } from 'graphql';

/** Root fields whose null always comes with an error: a search that finds nothing returns an empty list. */
const ROOT_FIELDS: ReadonlySet<string> = new Set([
  'certifications',
  'communes',
  'communesByName',
  'departements',
  'epcisByName',
  'formations',
  'jobSearch',
  'missionCounts',
  'missionSearch',
  'missions',
  'missionsLocales',
  'occupationsByName',
  'organismes',
  'organizations',
  'placesByName',
]);

const DEFINITION = `"""Null only with an error."""
directive @semanticNonNull(
  """Where: 0 is the value itself, 1 the items of a list."""
  levels: [Int!]! = [0]
) on FIELD_DEFINITION`;

/**
 * The SDL of our API schema with `@semanticNonNull` on fields whose null always comes with an error. They stay nullable
 * so that one failed item does not void its list; clients that treat errors as errors get strict types.
 */
export function withSemanticNonNull(sdl: string): string {
  const types = parse(sdl).definitions.filter((definition) => definition.kind === Kind.OBJECT_TYPE_DEFINITION);
  const marks = types.flatMap(({ name, fields = [] }) =>
    fields
      .filter((field) => isNeverSilent(name.value, field.name.value) && field.type.kind !== Kind.NON_NULL_TYPE)
      .map(({ type }) => ({ at: type.loc?.end ?? 0, levels: type.kind === Kind.LIST_TYPE ? '0, 1' : '0' })),
  );
  const pieces = marks.map(({ at, levels }, index) => {
    const from = marks[index - 1]?.at ?? 0;
    return `${sdl.slice(from, at)} @semanticNonNull(levels: [${levels}])`;
  });
  return `${DEFINITION}\n\n${pieces.join('')}${sdl.slice(marks.at(-1)?.at ?? 0)}`;
}

function isNeverSilent(type: string, field: string): boolean {
  if (type === 'Query') return ROOT_FIELDS.has(field);
  if (type.endsWith('Connection')) return field === 'nodes' || field === 'edges';
  return type.endsWith('Edge') && field === 'node';
}
