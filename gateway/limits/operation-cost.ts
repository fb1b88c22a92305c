import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';
import { defaultsOf } from '../../kernel/flags.js';
import { type FindFragment, fragmentsOf, type MergedField, mergeFields } from '../../kernel/selections.js';
import type { ResolvedOperation } from '../request/context.js';

/**
 * Items of nested pages that one operation may request. The depth limit does not bound them: four nested pages of 25
 * are 400,000 rows, which take longer than any deadline (the largest single page has 10,000).
 */
export const MAX_ITEMS = 50_000;

/** The largest page of any source (volunteering 3.1). */
export const LARGEST_PAGE = 10_000;

/** Page size if neither the query nor the schema gives `first`. */
const DEFAULT_PAGE = 25;

/** The most that an operation may request, with all of its pages full. */
export interface OperationCost {
  readonly items: number;
  /** Estimated bytes of the response, with values of average length. */
  readonly bytes: number;
}

type Values = Readonly<Record<string, unknown>>;

/** Calculates the cost for given variables. */
type CostOfVariables = (variables: Values) => OperationCost;

/** Average bytes of a value: codes and names are shorter, texts longer. */
const VALUE_BYTES = 12;

/** Bytes of JSON around a name: two quotes, a colon, a comma. */
const NAME_BYTES = 4;

const known = new WeakMap<OperationDefinitionNode, CostOfVariables>();

/** The cost of an operation of a validated document, compiled once per document. */
export function costOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): CostOfVariables {
  const cost = known.get(operation) ?? compileCost(document, operation, schema);
  known.set(operation, cost);
  return cost;
}

function compileCost(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): CostOfVariables {
  const fragments = fragmentsOf(document);
  const scope: Scope = { schema, findFragment: (name) => fragments.get(name) };
  const root = schema.getRootType(operation.operation)?.name ?? '';
  const cost = costOfFields([operation.selectionSet], root, false, scope);
  const defaults = defaultsOf(operation);
  // Without a prototype, since a variable may be called `toString`.
  return (variables) => cost({ __proto__: null, ...defaults, ...variables }, null);
}

interface Scope {
  readonly schema: GraphQLSchema;
  readonly findFragment: FindFragment;
}

/** The cost of a field on one object; `page` is the size of the page whose items the field's list holds. */
type CostOfField = (values: Values, page: number | null) => OperationCost;

/** `inPage`: whether the fields are below a page, where a refusal happens once per row. */
function costOfFields(sets: readonly SelectionSetNode[], type: string, inPage: boolean, scope: Scope): CostOfField {
  const costs = mergeFields(sets, type, scope.findFragment).flatMap((merged) => {
    const parent = scope.schema.getType(merged.parent);
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[merged.node.name.value] : undefined;
    return field === undefined ? [] : [costOfField(field, merged, inPage, scope)];
  });
  return (values, page) => {
    let items = 0;
    let bytes = 0;
    for (const cost of costs) {
      const field = cost(values, page);
      items += field.items;
      bytes += field.bytes;
    }
    return { items, bytes };
  };
}

function costOfField(
  field: GraphQLField<unknown, unknown>,
  { node, sets }: MergedField,
  inPage: boolean,
  scope: Scope,
): CostOfField {
  const name = (node.alias ?? node.name).value.length + NAME_BYTES;
  const type = getNamedType(field.type);
  if (isLeafType(type) && field.args.length === 0) {
    const cost = { items: 0, bytes: name + VALUE_BYTES };
    return () => cost;
  }
  const isPage = field.args.some((argument) => argument.name === 'first');
  const below = costOfFields(sets, type.name, inPage || isPage, scope);
  // A field with arguments may cost a call for each row above, even if its page is empty.
  const least = field.args.length > 0 ? 1 : 0;
  const isList = listsItems(field.type);
  return (values, page) => {
    const size = isPage ? pageSize(field, node, values, inPage) : null;
    const { items, bytes } = below(values, size);
    const times = isList ? (page ?? 1) : 1;
    return { items: Math.max(least, size === null ? items : size * (1 + items)), bytes: name + times * (2 + bytes) };
  };
}

function listsItems(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type));
}

/**
 * Items that a page requests. An invalid size is refused by the field's resolver, without a call: at the top it counts
 * as zero, below another page as the largest page possible.
 */
export function pageSize(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  values: Values,
  inPage: boolean,
): number {
  const byDefault = field.args.find(({ name }) => name === 'first')?.defaultValue;
  const given = node.arguments?.find(({ name }) => name.value === 'first');
  const first: unknown = given === undefined ? undefined : valueFromASTUntyped(given.value, values);
  const size = Number(first ?? byDefault ?? DEFAULT_PAGE);
  if (size >= 0 && size <= LARGEST_PAGE) return size;
  return inPage ? LARGEST_PAGE : 0;
}

/** An operation of a validated document, with the variables of one request. */
type Introspection = Omit<ResolvedOperation, 'text'>;

/** Bytes of a value of the schema that is not text. */
const SCHEMA_VALUE_BYTES = 4;

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
    bytes += typeof value === 'string' ? value.length : SCHEMA_VALUE_BYTES;
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
