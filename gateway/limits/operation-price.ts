import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { fragmentsOf } from '../graph/fragments.js';
import { type FindFragment, type MergedField, mergeFields } from '../graph/merged-fields.js';

/**
 * Items of nested pages that one operation may request. Depth alone does not bound them: four pages of 25 in each
 * other are 400,000 rows, which keep the process longer than any deadline (the largest single page has 10,000).
 */
export const MOST_ITEMS = 50_000;

/** The largest page of any source (volunteering 3.1). */
const LARGEST_PAGE = 10_000;

/** Items of a page whose `first` neither the query nor the schema states. */
const PAGE = 25;

/** What an operation requests at most, when all its pages are full. */
export interface Price {
  readonly items: number;
  /** Bytes of an answer whose values are as long as values mostly are. */
  readonly bytes: number;
}

type Values = Readonly<Record<string, unknown>>;

/** Gives the price for the values of the client's variables. */
export type PriceFor = (variables: Values) => Price;

/** What a value weighs on average: codes and names are shorter, texts longer. */
const VALUE_BYTES = 12;

/** What JSON writes around a name: two quotes, a colon, a comma. */
const NAME_BYTES = 4;

const known = new WeakMap<OperationDefinitionNode, PriceFor>();

/** The price of an operation of a validated document, read from its text once. */
export function priceOf(document: DocumentNode, operation: OperationDefinitionNode, schema: GraphQLSchema): PriceFor {
  const priced = known.get(operation) ?? readPrice(document, operation, schema);
  known.set(operation, priced);
  return priced;
}

function readPrice(document: DocumentNode, operation: OperationDefinitionNode, schema: GraphQLSchema): PriceFor {
  const fragments = fragmentsOf(document);
  const scope: Scope = { schema, findFragment: (name) => fragments.get(name) };
  const root = schema.getRootType(operation.operation)?.name ?? '';
  const price = priceFields([operation.selectionSet], root, false, scope);
  const defaults = defaultsOf(operation);
  return (variables) => price({ ...defaults, ...variables }, null);
}

interface Scope {
  readonly schema: GraphQLSchema;
  readonly findFragment: FindFragment;
}

/** Prices one object's field; `page` is the size of the page on which it stands and whose lists it has. */
type PriceField = (values: Values, page: number | null) => Price;

/** `inPage` says whether a page stands above: what is refused there is refused once for each of its rows. */
function priceFields(sets: readonly SelectionSetNode[], type: string, inPage: boolean, scope: Scope): PriceField {
  const prices = mergeFields(sets, type, scope.findFragment).flatMap((merged) => {
    const parent = scope.schema.getType(merged.parent);
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[merged.node.name.value] : undefined;
    return field === undefined ? [] : [priceField(field, merged, inPage, scope)];
  });
  return (values, page) => {
    let items = 0;
    let bytes = 0;
    for (const price of prices) {
      const field = price(values, page);
      items += field.items;
      bytes += field.bytes;
    }
    return { items, bytes };
  };
}

function priceField(
  field: GraphQLField<unknown, unknown>,
  { node, sets }: MergedField,
  inPage: boolean,
  scope: Scope,
): PriceField {
  const name = (node.alias ?? node.name).value.length + NAME_BYTES;
  const type = getNamedType(field.type);
  if (isLeafType(type) && field.args.length === 0) {
    const price = { items: 0, bytes: name + VALUE_BYTES };
    return () => price;
  }
  const isPage = field.args.some((argument) => argument.name === 'first');
  const below = priceFields(sets, type.name, inPage || isPage, scope);
  // A call for each row above: with an argument, even an empty page counts.
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
 * Items that a page requests. One that no source serves is refused by its own resolver, at its own path and without a
 * call: at the top it counts as nothing, within the rows of another page as the largest page possible.
 */
function pageSize(field: GraphQLField<unknown, unknown>, node: FieldNode, values: Values, inPage: boolean): number {
  const byDefault = field.args.find(({ name }) => name === 'first')?.defaultValue;
  const given = node.arguments?.find(({ name }) => name.value === 'first');
  const first: unknown = given === undefined ? undefined : valueFromASTUntyped(given.value, values);
  const size = Number(first ?? byDefault ?? PAGE);
  if (size >= 0 && size <= LARGEST_PAGE) return size;
  return inPage ? LARGEST_PAGE : 0;
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Values {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  );
}
