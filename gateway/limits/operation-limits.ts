import {
  type ASTNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationRule,
  valueFromASTUntyped,
} from 'graphql';
import { CodedError } from '../../kernel/errors.js';
import { DEEPEST } from '../../kernel/json-bounds.js';
import { fragmentsOf, spreadSelections, walkFields } from '../../kernel/selections.js';
import { inUnits } from '../../kernel/text.js';
import { type ResolvedOperation, responseTooLarge, type ValidOperation } from '../request/request.js';

/** The most fields of an operation. */
export const MAX_FIELDS = 5_000;

/**
 * Limits of one operation, with fragments inlined and equal fields merged. Realistic queries (three joins deep, all
 * fields of a mission) stay well below; anything above costs more to plan than it is worth.
 */
const LIMITS = [
  // Without introspection: the schema bounds its depth.
  ['depth', 15, 'levels deep'],
  // Each may be an upstream search.
  ['rootFields', 30, 'root fields wide'],
  ['aliases', 100, 'aliases long'],
  ['fields', MAX_FIELDS, 'fields long'],
  // That introspection reads, by the usual lengths of lists. What tools send at once is half of it.
  ['schemaValues', 1_200_000, 'values of the schema large'],
] as const;

/**
 * Fields and fragments of all operations of a document with fragments spread, before merging: measuring or executing an
 * operation visits each of them.
 */
const MAX_SELECTIONS = 20_000;

/** Nesting of lists and objects in a literal value: the planner's work doubles with each level. */
const MAX_VALUE_DEPTH = 8;

/** The largest page of any source (volunteering 3.1). */
export const LARGEST_PAGE = 10_000;

/**
 * Items of nested pages that one operation may request: as many as one such page. The depth limit does not bound them:
 * four nested pages of 25 are 400,000 rows, which take longer than any deadline.
 */
const MAX_ITEMS = 10_000;

const SHOWN_DIGITS = 20;

/**
 * Refuses documents beyond the limits, and what passes GraphQL validation but fails when it is executed, which would
 * look like an internal error. Part of validation, so that the result is cached with the document.
 */
export const documentLimits: ValidationRule = (context) => {
  const schema = context.getSchema();
  const refuse = (message: string, nodes: ASTNode | null) => context.reportError(new GraphQLError(message, { nodes }));
  let depth = 0;
  const nested = {
    enter(node: ASTNode) {
      depth += 1;
      if (depth !== MAX_VALUE_DEPTH + 1) return;
      refuse(`A value is more than ${MAX_VALUE_DEPTH} lists and objects deep. Send it as a variable.`, node);
    },
    leave() {
      depth -= 1;
    },
  };
  const number = ({ value }: { readonly value: string }) => {
    if (!Number.isFinite(Number(value))) refuse(`The number ${value.slice(0, SHOWN_DIGITS)} is too large.`, null);
  };
  return {
    ...{ ListValue: nested, ObjectValue: nested, FloatValue: number, IntValue: number },
    Field({ alias }) {
      // No plain object can have it as a key.
      if (alias?.value === '__proto__') refuse('An alias cannot be __proto__.', alias);
    },
    OperationDefinition(node) {
      if (!schema.getRootType(node.operation)) refuse(`The graph has no ${node.operation}s.`, node);
    },
    Document: {
      // After the rules that reject fragment cycles.
      leave(document) {
        const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
        // Repeated spreads take few characters: measuring such operations might take far too long.
        if (spreadSelections(document) > MAX_SELECTIONS) {
          const length = `at least ${MAX_SELECTIONS + 1} selections long; at most ${MAX_SELECTIONS} are allowed`;
          return refuse(`The operations of this document are together ${length}.`, operations[0] ?? null);
        }
        for (const operation of operations) {
          const size = sizeOf({ schema, document, operation });
          const name = operation.name === undefined ? 'This operation' : `The operation "${operation.name.value}"`;
          const is = size.isWhole ? 'is' : 'is at least';
          for (const [figure, most, unit] of LIMITS) {
            if (size[figure] <= most) continue;
            refuse(`${name} ${is} ${size[figure]} ${unit}; at most ${most} are allowed.`, operation);
          }
        }
      },
    },
  };
};

/** A merged field of an operation; `field` is undefined for one that its type does not have, as in introspection. */
interface MeasuredField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown> | undefined;
  readonly below: readonly MeasuredField[];
}

/** The long lists of a schema, and how long they are in this one. */
const SCHEMA_LISTS: ReadonlyMap<string, number> = new Map(
  Object.entries({ types: 300, fields: 10, inputFields: 10, enumValues: 10, args: 3, possibleTypes: 3 }),
);

const measured = new WeakMap<OperationDefinitionNode, ReturnType<typeof measure>>();

/** The size of an operation, measured once per document. */
export function sizeOf(of: ValidOperation) {
  const size = measured.get(of.operation) ?? measure(of);
  measured.set(of.operation, size);
  return size;
}

function measure({ schema, document, operation }: ValidOperation) {
  const fragments = fragmentsOf(document);
  /** As `LIMITS` say; `isWhole` is false if measuring stopped because the operation is far too large. */
  const size = { depth: 0, aliases: 0, fields: 0, schemaValues: 0, isWhole: true };

  /** `times` is how often the fields are read of the schema; 0 outside of it. */
  function visit(sets: readonly SelectionSetNode[], type: string, level: number, times: number): MeasuredField[] {
    const fields: MeasuredField[] = [];
    for (const { node, parent, below } of merge(sets, type)) {
      // A fragment may spread itself.
      size.isWhole &&= level <= DEEPEST && size.fields <= MAX_FIELDS;
      if (!size.isWhole) break;
      const { alias, name } = node;
      const isIntrospection = name.value === '__schema' || name.value === '__type';
      const read = isIntrospection ? 1 : times * (SCHEMA_LISTS.get(name.value) ?? 1);
      if (times === 0) size.depth = Math.max(size.depth, level);
      if (alias !== undefined) size.aliases += 1;
      size.fields += 1;
      // Tools read each thing once; a hundred names for each description would be megabytes.
      size.schemaValues += alias === undefined || times === 0 ? read : 10 * read;
      const owner = schema.getType(parent);
      const field = isObjectType(owner) || isInterfaceType(owner) ? owner.getFields()[name.value] : undefined;
      fields.push({ node, field, below: visit(below, getNamedType(field?.type)?.name ?? '', level + 1, read) });
    }
    return fields;
  }

  /** Fields on the same type, in time for those that are written; under other type conditions they stay separate. */
  function merge(sets: readonly SelectionSetNode[], type: string) {
    const merged = new Map<string, { node: FieldNode; parent: string; below: SelectionSetNode[] }>();
    walkFields(sets, { findFragment: (name) => fragments.get(name) }, (node, parent = type) => {
      const key = `${parent}.${(node.alias ?? node.name).value}`;
      const field = merged.get(key) ?? { node, parent, below: [] };
      if (node.selectionSet !== undefined) field.below.push(node.selectionSet);
      merged.set(key, field);
    });
    return merged.values();
  }

  const root = visit([operation.selectionSet], schema.getRootType(operation.operation)?.name ?? '', 1, 0);
  /** What it requests with these values of its variables, with all of its pages full. */
  const cost = (values: Values) => costOf(root, values, null, false);
  return { ...size, rootFields: root.length, cost };
}

type Values = ResolvedOperation['variables'];

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
): { readonly items: number; readonly bytes: number } {
  let [items, bytes] = [0, 0];
  for (const { node, field, below } of fields) {
    if (field === undefined) continue;
    bytes += (node.alias ?? node.name).value.length + NAME_BYTES;
    if (below.length === 0 && field.args.length === 0) {
      bytes += VALUE_BYTES;
      continue;
    }
    const isPage = field.args.some(({ name }) => name === 'first');
    const size = isPage ? pageSize(argumentOf(field, node, values, 'first'), isInPage) : null;
    const inside = costOf(below, values, size, isInPage || isPage);
    const isList = isListType(getNullableType(field.type));
    // Of a list that is asked for by ids, as many as there are.
    const many = isList && !isPage ? [argumentOf(field, node, values, 'ids')].flat().length : 1;
    const all = size === null ? many * inside.items : size * (1 + inside.items);
    // A field with arguments may cost a call for each row above, even if its page is empty.
    items += Math.max(field.args.length > 0 ? 1 : 0, all);
    bytes += (isList ? (page ?? many) : 1) * (2 + inside.bytes);
  }
  return { items, bytes };
}

/** The value of one argument: others may be lists of thousands, wherever a fragment is spread. */
function argumentOf(
  { args }: GraphQLField<unknown, unknown>,
  { arguments: given = [] }: FieldNode,
  values: Values,
  argument: string,
): unknown {
  const sent = given.find(({ name }) => name.value === argument);
  const value = sent && valueFromASTUntyped(sent.value, values);
  return value ?? args.find(({ name }) => name === argument)?.defaultValue;
}

/** Page size if neither the query nor the schema gives `first`. */
const DEFAULT_PAGE = 25;

/**
 * Items that a page requests by its `first`. An invalid size is refused by the field's resolver, without a call: one
 * below zero counts as zero, as one that is too large does at the top; below another page, that is the largest page.
 */
export function pageSize(first: unknown, isInPage: boolean): number {
  const size = Number(first ?? DEFAULT_PAGE);
  if (size >= 0 && size <= LARGEST_PAGE) return size;
  return isInPage && !(size < 0) ? LARGEST_PAGE : 0;
}

/**
 * Refuses an operation that requests too many items or bytes, with a CodedError. Returns the estimated bytes of its
 * response.
 */
export function limitCost(of: ResolvedOperation, maxBytes: number): number {
  const { items, bytes } = sizeOf(of).cost(of.variables);
  if (items > MAX_ITEMS) {
    const message = `This operation requests up to ${items} items in nested pages; at most ${MAX_ITEMS} are allowed. Request fewer with \`first\`.`;
    throw new CodedError('BAD_USER_INPUT', message);
  }
  if (bytes > maxBytes) {
    const [estimate, limit] = [inUnits(bytes, Math.ceil), inUnits(maxBytes)];
    throw responseTooLarge(`The response would have up to ${estimate}; at most ${limit} are sent.`);
  }
  return bytes;
}
