import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { DERIVED, table } from './markdown.js';

/** The page of the graph that clients see: root fields with their arguments, then every type by its name. */
export function schemaPage(schema: GraphQLSchema): string {
  const roots = [schema.getQueryType(), schema.getMutationType()].filter((type) => type !== null && type !== undefined);
  const types = Object.values(schema.getTypeMap())
    .filter(
      (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !roots.some((root) => root === type),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  return `${[
    '# Schema',
    DERIVED,
    'The same graph as a file: [schema/api.graphql](../schema/api.graphql). What is nullable and why: [decisions/nullable-everything.md](decisions/nullable-everything.md).',
    ...roots.flatMap((root) => [`## ${root.name}`, ...Object.values(root.getFields()).map(rootField)]),
    '## Types',
    ...types.map(typeSection),
  ].join('\n\n')}\n`;
}

function rootField(field: GraphQLField<unknown, unknown>): string {
  const rows = field.args.map(({ name, type, description }) => [`\`${name}\``, `\`${type}\``, description ?? '']);
  const args = rows.length === 0 ? [] : [table(['Argument', 'Type', 'Meaning'], rows)];
  return [`### ${field.name}: \`${field.type}\``, paragraph(field.description), ...args].join('\n\n');
}

function typeSection(type: GraphQLNamedType): string {
  return [`### ${type.name}`, paragraph(type.description), ...contents(type)].join('\n\n');
}

function contents(type: GraphQLNamedType): string[] {
  if (isObjectType(type) || isInterfaceType(type)) {
    const rows = Object.values(type.getFields()).map((field) => [
      signature(field),
      `\`${field.type}\``,
      field.description ?? '',
    ]);
    return [table(['Field', 'Type', 'Meaning'], rows)];
  }
  if (isEnumType(type)) return [enumTable(type)];
  if (isInputObjectType(type)) return [inputTable(type)];
  return isScalarType(type) ? scalarNote(type) : [];
}

function signature({ name, args }: GraphQLField<unknown, unknown>): string {
  return args.length === 0 ? `\`${name}\`` : `\`${name}(${args.map((arg) => arg.name).join(', ')})\``;
}

function enumTable(type: GraphQLEnumType): string {
  return table(
    ['Value', 'Meaning'],
    type.getValues().map(({ name, description }) => [`\`${name}\``, description ?? '']),
  );
}

function inputTable(type: GraphQLInputObjectType): string {
  return table(
    ['Field', 'Type', 'Meaning'],
    Object.values(type.getFields()).map(({ name, type: of, description }) => [
      `\`${name}\``,
      `\`${of}\``,
      description ?? '',
    ]),
  );
}

function scalarNote({ specifiedByURL }: GraphQLScalarType): string[] {
  return specifiedByURL ? [`Specified by ${specifiedByURL}.`] : [];
}

function paragraph(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}
