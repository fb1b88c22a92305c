import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
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
import { CodedError } from '../../kernel/errors.js';
import { type FindFragment, fragmentsOf, type MergedField, mergeFields } from '../../kernel/selections.js';
import { inUnits } from '../../kernel/text.js';
import { type ResolvedOperation, responseTooLarge } from '../request/request.js';
import type { Values } from './variables.js';

/** The largest page of any source (volunteering 3.1). */
export const LARGEST_PAGE = 10_000;

/**
 * Items of nested pages that one operation may request: as many as one such page. The depth limit does not bound them:
 * four nested pages of 25 are 400,000 rows, which take longer than any deadline.
 */
export const MAX_ITEMS = 10_000;

/** Page size if neither the query nor the schema gives `first`. */
const DEFAULT_PAGE = 25;

/** What an operation requests, with all of its pages full. */
export interface OperationCost {
  readonly items: number;
  /** Estimated bytes of the response, with values of average length. */
  readonly bytes: number;
}

/** Calculates the cost for the values of variables. */
type CostOfVariables = (variables: Values) => OperationCost;

/** Average bytes of a value: codes and names are shorter, texts longer. */
const VALUE_BYTES = 12;

/** Bytes of JSON around a name: two quotes, a colon, a comma. */
const NAME_BYTES = 4;

const compiled = new WeakMap<OperationDefinitionNode, CostOfVariables>();

/** The cost of an operation of a validated document, compiled once per document. */
export function costOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): CostOfVariables {
  const cost = compiled.get(operation) ?? compileCost(document, operation, schema);
  compiled.set(operation, cost);
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
  return (variables) => cost(variables, null);
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
  const isList = isListType(getNullableType(field.type));
  return (values, page) => {
    const size = isPage ? pageSize(field, node, values, inPage) : null;
    const { items, bytes } = below(values, size);
    const many = isList && size === null ? idsIn(node, values) : 1;
    const times = isList ? (page ?? many) : 1;
    const all = size === null ? many * items : size * (1 + items);
    return { items: Math.max(least, all), bytes: name + times * (2 + bytes) };
  };
}

/** Objects that a list is asked for by their `ids`; 1 for any other list. */
function idsIn({ arguments: given = [] }: FieldNode, values: Values): number {
  const ids = given.find(({ name }) => name.value === 'ids');
  return ids === undefined ? 1 : [valueFromASTUntyped(ids.value, values)].flat().length;
}

/**
 * Items that a page requests. An invalid size is refused by the field's resolver, without a call: one below zero counts
 * as zero, as one that is too large does at the top; below another page, that is the largest page possible.
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
  return inPage && !(size < 0) ? LARGEST_PAGE : 0;
}

/**
 * Refuses an operation that requests too many items or bytes, with a CodedError. Returns the estimated bytes of its
 * response.
 */
export function limitCost({ schema, document, operation, variables }: ResolvedOperation, most: OperationCost): number {
  const { items, bytes } = costOf(document, operation, schema)(variables);
  if (items > most.items) {
    const message = `This operation requests up to ${items} items in nested pages; at most ${most.items} are allowed. Request fewer with \`first\`.`;
    throw new CodedError('BAD_USER_INPUT', message);
  }
  if (bytes > most.bytes) {
    const [estimate, limit] = [inUnits(bytes, Math.ceil), inUnits(most.bytes)];
    throw responseTooLarge(`The response would have up to ${estimate}; at most ${limit} are sent.`);
  }
  return bytes;
}
