import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import type { GraphQLSchema } from 'graphql';

/** Additions that are listed: descriptions and marks are not. */
const ADDITION = /^(?:TYPE|FIELD|FIELD_ARGUMENT|INPUT_FIELD|ENUM_VALUE)_ADDED$/;
/** A `@semanticNonNull` that a field loses is a promise broken; one that it gains surprises nobody. */
const LOST_MARK = /^DIRECTIVE_USAGE_.*REMOVED$/;

/** What clients notice between two schemas, as a list for people: breaking first, then additions and deprecations. */
export async function schemaChanges(before: GraphQLSchema, after: GraphQLSchema): Promise<string> {
  const changes = await diff(before, after);
  const added = changes.filter(({ type }) => ADDITION.test(type));
  // What a new type, or a new field, contains goes without saying.
  const isTop = ({ path = '' }: Change) => !added.some((other) => path.startsWith(`${other.path}.`));
  const of = (isWanted: (type: string, level: CriticalityLevel) => boolean) =>
    changes.filter(({ type, criticality }) => isWanted(type, criticality.level)).map(({ message }) => message);
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Breaking', of((type, level) => LOST_MARK.test(type) || level === CriticalityLevel.Breaking)],
    ['May surprise', of((type, level) => type === 'ENUM_VALUE_ADDED' && level === CriticalityLevel.Dangerous)],
    ['Deprecated', of((type) => type.endsWith('DEPRECATION_ADDED'))],
    ['Added', added.filter(isTop).map(({ path = '' }) => `\`${path}\``)],
  ];
  const written = sections.filter(([, lines]) => lines.length > 0);
  if (written.length === 0) return 'Nothing.';
  return written.map(([title, lines]) => `**${title}**\n\n${lines.map((line) => `- ${line}`).join('\n')}`).join('\n\n');
}
