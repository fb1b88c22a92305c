import { type ConstDirectiveNode, type FieldDefinitionNode, Kind, parse, print, visit } from 'graphql';

/** Root fields whose null always comes with an error: a search that finds nothing returns an empty list. */
const ROOT_FIELDS: ReadonlySet<string> = new Set([
  'certifications',
  'communes',
  'communesByName',
  'departements',
  'formations',
  'jobSearch',
  'missionCounts',
  'missionSearch',
  'missions',
  'missionsLocales',
  'organismes',
  'organizations',
]);

const DEFINITION = 'directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION';

/**
 * The SDL of our API schema with `@semanticNonNull` on fields whose null always comes with an error. They stay nullable
 * so that one failed item does not void its list; clients that treat errors as errors get strict types.
 */
export function withSemanticNonNull(sdl: string): string {
  const document = visit(parse(sdl), {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.map((field) => marked(type.name.value, field)) ?? [],
    }),
  });
  return `${DEFINITION}\n\n${print(document)}\n`;
}

function marked(type: string, field: FieldDefinitionNode): FieldDefinitionNode {
  if (!isNeverSilent(type, field.name.value) || field.type.kind === Kind.NON_NULL_TYPE) return field;
  const levels = field.type.kind === Kind.LIST_TYPE ? ['0', '1'] : ['0'];
  return { ...field, directives: [...(field.directives ?? []), directiveOf(levels)] };
}

function isNeverSilent(type: string, field: string): boolean {
  if (type === 'Query') return ROOT_FIELDS.has(field);
  if (type.endsWith('Connection')) return field === 'nodes' || field === 'edges';
  return type.endsWith('Edge') && field === 'node';
}

function directiveOf(levels: readonly string[]): ConstDirectiveNode {
  const values = levels.map((value) => ({ kind: Kind.INT as const, value }));
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: 'semanticNonNull' },
    arguments: [
      {
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: 'levels' },
        value: { kind: Kind.LIST, values },
      },
    ],
  };
}
