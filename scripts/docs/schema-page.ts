import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
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
import { defaultOf } from '../../schema/find.js';
import { DERIVED, table } from './markdown.js';

/** The page of the graph that clients see: root fields with their arguments, then every type by name. */
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
    'The same graph as a file: [schema/api.graphql](../schema/api.graphql). What is nullable and why: [decisions/nullable-everything.md](decisions/nullable-everything.md). What a service does without an argument is in its meaning; defaults of the graph have a column.',
    ...roots.flatMap((root) => [`## ${root.name}`, ...Object.values(root.getFields()).map(rootField)]),
    '## Types',
    ...types.map(typeSection),
  ].join('\n\n')}\n`;
}

function rootField(field: GraphQLField<unknown, unknown>): string {
  const args = field.args.length === 0 ? [] : [inputTable('Argument', field.args)];
  return [`### ${field.name}: \`${field.type}\``, paragraph(field.description), ...args].join('\n\n');
}

function typeSection(type: GraphQLNamedType): string {
  return [`### ${type.name}`, paragraph(type.description), ...contents(type)].join('\n\n');
}

function contents(type: GraphQLNamedType): string[] {
  if (isObjectType(type) || isInterfaceType(type)) {
    const fields = Object.values(type.getFields());
    const rows = fields.map((field) => [signature(field), `\`${field.type}\``, field.description ?? '']);
    return [
      table(['Field', 'Type', 'Meaning'], rows),
      ...fields
        .filter(({ args }) => args.length > 0)
        .flatMap(({ name, args }) => [`Arguments of \`${type.name}.${name}\`:`, inputTable('Argument', args)]),
    ];
  }
  if (isEnumType(type)) return [enumTable(type)];
  if (isInputObjectType(type)) return [inputTable('Field', Object.values(type.getFields()))];
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

/** A table of arguments or of an input object's fields, with a column for defaults if any has one. */
function inputTable(kind: 'Argument' | 'Field', inputs: readonly (GraphQLArgument | GraphQLInputField)[]): string {
  const hasDefaults = inputs.some((input) => defaultOf(input) !== '');
  const rows = inputs.map((input) => {
    const byDefault = defaultOf(input);
    return [
      `\`${input.name}\``,
      `\`${input.type}\``,
      ...(hasDefaults ? [byDefault && `\`${byDefault}\``] : []),
      input.description ?? '',
    ];
  });
  return table([kind, 'Type', ...(hasDefaults ? ['Default'] : []), 'Meaning'], rows);
}

function scalarNote({ specifiedByURL }: GraphQLScalarType): string[] {
  return specifiedByURL ? [`Specified by ${specifiedByURL}.`] : [];
}

function paragraph(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}
