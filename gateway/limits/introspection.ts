import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';
import { defaultsOf } from '../../kernel/flags.js';
import { fragmentsOf, type MergedField, mergeFields } from '../../kernel/selections.js';

/** An operation of a validated document, with the variables of one request. */
export interface Introspection {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Bytes of JSON around a name, and of a value that is not text. */
const NAME_BYTES = 4;
const VALUE_BYTES = 4;

const META_FIELDS: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map([
  ['__schema', SchemaMetaFieldDef],
  ['__type', TypeMetaFieldDef],
]);

/** Estimated bytes of what an operation reads of the schema itself. The walk stops above `most`. */
function introspectionBytes({ schema, document, operation, variables }: Introspection, most: () => number): number {
  const fragments = fragmentsOf(document);
  const values = { ...defaultsOf(operation), ...variables };
  // The resolvers of introspection read nothing else from it.
  const info = { schema } as GraphQLResolveInfo;
  const known = new WeakMap<MergedField['sets'], readonly MergedField[]>();
  let bytes = 0;

  function fieldsOf(sets: MergedField['sets'], type: string): readonly MergedField[] {
    const fields = known.get(sets) ?? mergeFields(sets, type, (name) => fragments.get(name));
    known.set(sets, fields);
    return fields;
  }

  function walkField(field: GraphQLField<unknown, unknown>, { node, sets }: MergedField, source: unknown): void {
    const value: unknown = field.resolve?.(source, argumentsOf(node, values), null, info);
    const type = getNamedType(field.type);
    for (const item of Array.isArray(value) ? value : [value]) walk(item, type, sets);
  }

  function walk(value: unknown, type: GraphQLNamedType, sets: MergedField['sets']): void {
    bytes += typeof value === 'string' ? value.length : VALUE_BYTES;
    if (value === null || value === undefined || !isObjectType(type)) return;
    for (const merged of fieldsOf(sets, type.name)) {
      if (bytes > most()) return;
      bytes += (merged.node.alias ?? merged.node.name).value.length + NAME_BYTES;
      const field = type.getFields()[merged.node.name.value];
      if (field !== undefined) walkField(field, merged, value);
    }
  }

  for (const merged of fieldsOf([operation.selectionSet], schema.getRootType(operation.operation)?.name ?? '')) {
    const field = META_FIELDS.get(merged.node.name.value);
    if (field !== undefined) walkField(field, merged, null);
  }
  return bytes;
}

/** Deprecated elements are always counted, to get the largest possible size. */
function argumentsOf({ arguments: given = [] }: FieldNode, values: Readonly<Record<string, unknown>>) {
  const named = given.map(({ name, value }) => [name.value, valueFromASTUntyped(value, values)] as const);
  return { ...Object.fromEntries(named), includeDeprecated: true };
}

/** An operation may read as much of the schema as this many introspection queries of tools. */
const MAX_TOOL_QUERIES = 2;

/**
 * Whether an operation reads nothing of the schema itself, some, or more than twice what tools read at once. Aliases
 * multiply with the nested lists of types, fields and arguments, so only a walk can tell.
 */
export function introspects(introspection: Introspection): 'nothing' | 'some' | 'too much' {
  const most = () => MAX_TOOL_QUERIES * standardBytes(introspection.schema);
  const bytes = introspectionBytes(introspection, most);
  if (bytes === 0) return 'nothing';
  return bytes > most() ? 'too much' : 'some';
}

const standards = new WeakMap<GraphQLSchema, number>();

/** Size of the query that tools introspect a schema with, calculated once. */
function standardBytes(schema: GraphQLSchema): number {
  const known = standards.get(schema);
  if (known !== undefined) return known;
  const document = parse(getIntrospectionQuery({ schemaDescription: true, inputValueDeprecation: true }));
  const [operation] = document.definitions as readonly OperationDefinitionNode[];
  if (operation === undefined) throw new Error('The query of tools has no operation.');
  const everything = { schema, document, operation, variables: {} };
  const bytes = introspectionBytes(everything, () => Number.POSITIVE_INFINITY);
  standards.set(schema, bytes);
  return bytes;
}
