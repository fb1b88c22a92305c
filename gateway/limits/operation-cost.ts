import {
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
import { type FindFragment, fragmentsOf, mergeFields } from '../../kernel/selections.js';
import { inUnits } from '../../kernel/text.js';
import { type ResolvedOperation, responseTooLarge } from '../request/request.js';

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

type Values = Readonly<Record<string, unknown>>;

/** Average bytes of a value: codes and names are shorter, texts longer. */
const VALUE_BYTES = 12;

/** Bytes of JSON around a name: two quotes, a colon, a comma. */
const NAME_BYTES = 4;

/** How large an operation is, with fragments inlined and equal fields merged. */
interface OperationSize {
  depth: number;
  rootFields: number;
  aliases: number;
  fields: number;
  /** Values that are read of the schema, by the usual lengths of its lists. */
  schemaValues: number;
  /** False if measuring stopped because the operation is far too large. */
  isWhole: boolean;
  /** What it requests with these values of its variables. */
  readonly cost: (values: Values) => OperationCost;
}

const measured = new WeakMap<OperationDefinitionNode, OperationSize>();

/** The size of an operation, measured once per document. */
export function sizeOf(
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  findFragment: FindFragment,
): OperationSize {
  const size = measured.get(operation) ?? measure(operation, schema, findFragment);
  measured.set(operation, size);
  return size;
}

/** Where fields are selected. */
interface Place {
  /** Nesting of fields; minus infinity in introspection, whose depth the schema bounds. */
  readonly depth: number;
  /** The same, introspection included. */
  readonly level: number;
  /** How often the fields are read, of the schema; 0 outside of it. */
  readonly times: number;
  /** Whether they are below a page, where a refusal happens once per row. */
  readonly inPage: boolean;
}

/** The most fields of an operation. */
export const MAX_FIELDS = 5_000;

/** Nesting at which measuring stops: a fragment may spread itself. */
const MAX_LEVEL = 200;

/** The lists of a schema, and how long they are in this one. */
const SCHEMA_LISTS: ReadonlyMap<string, number> = new Map([
  ...[['types', 300] as const, ['directives', 10] as const],
  ...(['fields', 'inputFields', 'enumValues'] as const).map((name) => [name, 10] as const),
  ...(['args', 'possibleTypes'] as const).map((name) => [name, 3] as const),
]);

/** The cost of fields on one object; `page` is the size of the page whose items a list among them holds. */
type CostOfFields = (values: Values, page: number | null) => OperationCost;

const FREE: OperationCost = { items: 0, bytes: 0 };

function measure(operation: OperationDefinitionNode, schema: GraphQLSchema, findFragment: FindFragment): OperationSize {
  const root = schema.getRootType(operation.operation)?.name ?? '';
  const size = { depth: 0, rootFields: 0, aliases: 0, fields: 0, schemaValues: 0, isWhole: true };

  function measureFields(sets: readonly SelectionSetNode[], type: string, place: Place): CostOfFields {
    if (sets.length === 0) return () => FREE;
    const costs: CostOfFields[] = [];
    for (const { node, parent, sets: below } of mergeFields(sets, type, findFragment)) {
      if (!size.isWhole) break;
      const field = fieldOf(schema, parent, node.name.value);
      const inside = enter(node, place, field !== undefined && isPage(field));
      const cost = measureFields(below, field === undefined ? '' : getNamedType(field.type).name, inside);
      if (field !== undefined) costs.push(costOfField(field, node, place.inPage, cost));
    }
    return (values, page) => {
      let [items, bytes] = [0, 0];
      for (const cost of costs) {
        const field = cost(values, page);
        items += field.items;
        bytes += field.bytes;
      }
      return { items, bytes };
    };
  }

  /** Counts a field; returns the place of those below it. */
  function enter({ name: { value: name }, alias }: FieldNode, place: Place, isOfPage: boolean): Place {
    const { depth, level, times, inPage } = place;
    size.depth = Math.max(size.depth, depth);
    if (level === 0) size.rootFields += 1;
    size.fields += 1;
    if (alias !== undefined) size.aliases += 1;
    size.isWhole = size.fields <= MAX_FIELDS && level <= MAX_LEVEL;
    const isIntrospection = name === '__schema' || name === '__type';
    const timesBelow = isIntrospection ? 1 : times * (SCHEMA_LISTS.get(name) ?? 1);
    // Tools read each thing once; a hundred names for each description would be megabytes.
    size.schemaValues += timesBelow * (alias !== undefined && times > 0 ? 10 : 1);
    const depthBelow = isIntrospection ? Number.NEGATIVE_INFINITY : depth + 1;
    return { depth: depthBelow, level: level + 1, times: timesBelow, inPage: inPage || isOfPage };
  }

  const top = { depth: 1, level: 0, times: 0, inPage: false };
  const cost = measureFields([operation.selectionSet], root, top);
  return { ...size, cost: (values) => cost(values, null) };
}

/** Undefined for a field that the type does not have, such as those of introspection. */
function fieldOf(schema: GraphQLSchema, type: string, name: string): GraphQLField<unknown, unknown> | undefined {
  const parent = schema.getType(type);
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

function isPage({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.some(({ name }) => name === 'first');
}

/** `below` is the cost of what is selected of each of its objects. */
function costOfField(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  inPage: boolean,
  below: CostOfFields,
): CostOfFields {
  const name = (node.alias ?? node.name).value.length + NAME_BYTES;
  if (isLeafType(getNamedType(field.type)) && field.args.length === 0) {
    const cost = { items: 0, bytes: name + VALUE_BYTES };
    return () => cost;
  }
  const isOfPage = isPage(field);
  // A field with arguments may cost a call for each row above, even if its page is empty.
  const least = field.args.length > 0 ? 1 : 0;
  const isList = isListType(getNullableType(field.type));
  return (values, page) => {
    const size = isOfPage ? pageSize(field, node, values, inPage) : null;
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
  const fragments = fragmentsOf(document);
  const { items, bytes } = sizeOf(operation, schema, (name) => fragments.get(name)).cost(variables);
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
