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
import { type FindFragment, fragmentsOf, walkFields } from '../../kernel/selections.js';
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

/** A merged field of an operation; `field` is undefined for one that its type does not have, as in introspection. */
interface MeasuredField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown> | undefined;
  readonly isLeaf: boolean;
  readonly below: readonly MeasuredField[];
}

/** The most fields of an operation. */
export const MAX_FIELDS = 5_000;

/** Nesting at which measuring stops: a fragment may spread itself. */
const MAX_LEVEL = 200;

/** The long lists of a schema, and how long they are in this one. */
const SCHEMA_LISTS: ReadonlyMap<string, number> = new Map(
  Object.entries({ types: 300, fields: 10, inputFields: 10, enumValues: 10, args: 3, possibleTypes: 3 }),
);

const measured = new WeakMap<OperationDefinitionNode, ReturnType<typeof measure>>();

/** The size of an operation, measured once per document. */
export function sizeOf(operation: OperationDefinitionNode, schema: GraphQLSchema, findFragment: FindFragment) {
  const size = measured.get(operation) ?? measure(operation, schema, findFragment);
  measured.set(operation, size);
  return size;
}

function measure(operation: OperationDefinitionNode, schema: GraphQLSchema, findFragment: FindFragment) {
  /** With fragments inlined and equal fields merged. */
  const size = {
    /** Nesting of fields, without introspection: the schema bounds its depth. */
    depth: 0,
    rootFields: 0,
    aliases: 0,
    fields: 0,
    /** Values that are read of the schema, by the usual lengths of its lists. */
    schemaValues: 0,
    /** False if measuring stopped because the operation is far too large. */
    isWhole: true,
  };

  /** `times` is how often the fields are read of the schema; 0 outside of it. */
  function visit(sets: readonly SelectionSetNode[], type: string, level: number, times: number): MeasuredField[] {
    const fields: MeasuredField[] = [];
    if (level > MAX_LEVEL) size.isWhole = false;
    for (const { node, parent, below } of size.isWhole ? merge(sets, type) : []) {
      if (size.fields > MAX_FIELDS) size.isWhole = false;
      if (!size.isWhole) break;
      const { alias, name } = node;
      const isIntrospection = name.value === '__schema' || name.value === '__type';
      const read = isIntrospection ? 1 : times * (SCHEMA_LISTS.get(name.value) ?? 1);
      if (times === 0) size.depth = Math.max(size.depth, level);
      if (level === 1) size.rootFields += 1;
      if (alias !== undefined) size.aliases += 1;
      size.fields += 1;
      // Tools read each thing once; a hundred names for each description would be megabytes.
      size.schemaValues += alias === undefined || times === 0 ? read : 10 * read;
      const owner = schema.getType(parent);
      const field = isObjectType(owner) || isInterfaceType(owner) ? owner.getFields()[name.value] : undefined;
      const inner = getNamedType(field?.type);
      fields.push({ node, field, isLeaf: isLeafType(inner), below: visit(below, inner?.name ?? '', level + 1, read) });
    }
    return fields;
  }

  /** Fields on the same type, in time for those that are written; under other type conditions they stay separate. */
  function merge(sets: readonly SelectionSetNode[], type: string) {
    const merged = new Map<string, { node: FieldNode; parent: string; below: SelectionSetNode[] }>();
    walkFields(sets, { findFragment }, (node, parent = type) => {
      const key = `${parent}.${(node.alias ?? node.name).value}`;
      const field = merged.get(key) ?? { node, parent, below: [] };
      if (node.selectionSet !== undefined) field.below.push(node.selectionSet);
      merged.set(key, field);
    });
    return merged.values();
  }

  const root = schema.getRootType(operation.operation)?.name ?? '';
  const fields = visit([operation.selectionSet], root, 1, 0);
  /** What it requests with these values of its variables. */
  const cost = (values: Values): OperationCost => costOf(fields, values, null, false);
  return { ...size, cost };
}

/** Average bytes of a value: codes and names are shorter, texts longer. */
const VALUE_BYTES = 12;

/** Bytes of JSON around a name: two quotes, a colon, a comma. */
const NAME_BYTES = 4;

/**
 * What the fields of one object cost. `page` is the size of the page whose items a list among them holds, if it is one;
 * `isInPage`, whether it is below a page, where a refusal happens once per row.
 */
function costOf(
  fields: readonly MeasuredField[],
  values: Values,
  page: number | null,
  isInPage: boolean,
): OperationCost {
  let [items, bytes] = [0, 0];
  for (const { node, field, isLeaf, below } of fields) {
    if (field === undefined) continue;
    bytes += (node.alias ?? node.name).value.length + NAME_BYTES;
    if (isLeaf && field.args.length === 0) {
      bytes += VALUE_BYTES;
      continue;
    }
    const isPage = field.args.some(({ name }) => name === 'first');
    const size = isPage ? pageSize(field, node, values, isInPage) : null;
    const inside = costOf(below, values, size, isInPage || isPage);
    const isList = isListType(getNullableType(field.type));
    // Of a list that is asked for by ids, as many as there are.
    const many = isList && !isPage ? [givenValue('ids', node, values)].flat().length : 1;
    const all = size === null ? many * inside.items : size * (1 + inside.items);
    // A field with arguments may cost a call for each row above, even if its page is empty.
    items += Math.max(field.args.length > 0 ? 1 : 0, all);
    bytes += (isList ? (page ?? many) : 1) * (2 + inside.bytes);
  }
  return { items, bytes };
}

/**
 * Items that a page requests. An invalid size is refused by the field's resolver, without a call: one below zero counts
 * as zero, as one that is too large does at the top; below another page, that is the largest page possible.
 */
export function pageSize(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  values: Values,
  isInPage: boolean,
): number {
  const byDefault = field.args.find(({ name }) => name === 'first')?.defaultValue;
  const size = Number(givenValue('first', node, values) ?? byDefault ?? DEFAULT_PAGE);
  if (size >= 0 && size <= LARGEST_PAGE) return size;
  return isInPage && !(size < 0) ? LARGEST_PAGE : 0;
}

/** The value of an argument; undefined if none is given. */
function givenValue(name: string, { arguments: given = [] }: FieldNode, values: Values): unknown {
  const argument = given.find((one) => one.name.value === name);
  return argument && valueFromASTUntyped(argument.value, values);
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
