import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLFormattedError,
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
import type { Log } from '../../kernel/log.js';
import { defaultsOf, type FindFragment, fragmentsOf, type MergedField, mergeFields } from '../../kernel/selections.js';
import { inUnits } from '../../kernel/text.js';
import { isOurCode } from '../../runtime/errors.js';
import { factsOf, type GatewayContext, type ResolvedOperation, responseTooLarge } from '../request/request.js';
import { createCallerQueue } from './caller-queue.js';
import { variableErrors } from './variables.js';

/** The largest page of any source (volunteering 3.1). */
export const LARGEST_PAGE = 10_000;

/**
 * Items of nested pages that one operation may request: as many as one such page. The depth limit does not bound them:
 * four nested pages of 25 are 400,000 rows, which take longer than any deadline.
 */
export const MAX_ITEMS = 10_000;

/** Page size if neither the query nor the schema gives `first`. */
const DEFAULT_PAGE = 25;

/** The most that an operation may request, with all of its pages full. */
interface OperationCost {
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
  const isList = isListType(getNullableType(field.type));
  return (values, page) => {
    const size = isPage ? pageSize(field, node, values, inPage) : null;
    const { items, bytes } = below(values, size);
    const times = isList ? (page ?? 1) : 1;
    return { items: Math.max(least, size === null ? items : size * (1 + items)), bytes: name + times * (2 + bytes) };
  };
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

/** What one operation may request: items of nested pages, and estimated bytes of its response. */
export type OperationLimits = OperationCost;

/** Operations up to this estimated size never wait. */
const SMALL_BYTES = 256 * 1024;

/**
 * Refuses operations whose variables are invalid, or that request too many items or bytes, before they are priced and
 * planned. While it is made, a response takes several times its size in memory: large ones of one caller run side by
 * side up to the size of one largest response.
 */
export function costLimit(most: OperationLimits, log: Log): ApolloServerPlugin<GatewayContext> {
  const large = createCallerQueue({ name: 'large operations', ofCaller: most.bytes, waiting: 100 });
  return {
    async requestDidStart() {
      let invalid: readonly GraphQLFormattedError[] = [];
      let leave = () => {};
      return {
        async didResolveOperation({ schema, document, operation, request, contextValue }) {
          // An unknown operation name is reported later.
          if (operation === undefined) return;
          contextValue.gatewayRequest.operation = factsOf(schema, document, operation);
          const resolved = { schema, document, operation, variables: request.variables ?? {} };
          try {
            // The cost is calculated from variables as they were sent, and relies on their being valid.
            invalid = variableErrors(resolved);
            if (invalid.length > 0) return;
            const bytes = limitCost(resolved, most);
            contextValue.resolved?.(resolved);
            if (bytes > SMALL_BYTES) leave = await large.enter(contextValue.gatewayRequest, bytes);
          } catch (error) {
            // The library responds with whatever is thrown here, and logs nothing.
            const isRefusal = error instanceof GraphQLError && isOurCode(error.extensions['code']);
            if (!isRefusal)
              log.error({ requestId: contextValue.gatewayRequest.id, err: error }, 'limits or pricing failed');
            throw error;
          }
        },
        async willSendResponse() {
          leave();
        },
        async responseForOperation() {
          if (invalid.length === 0) return null;
          const http = { status: 400, headers: new HeaderMap() };
          return { http, body: { kind: 'single', singleResult: { errors: invalid } } };
        },
      };
    },
  };
}

/** Refuses an operation that costs too much. Returns the estimated bytes of its response. */
function limitCost(resolved: ResolvedOperation, most: OperationLimits): number {
  const { schema, document, operation, variables } = resolved;
  const { items, bytes } = costOf(document, operation, schema)(variables);
  if (items > most.items) throw tooManyItems(items, most.items);
  if (bytes > most.bytes) {
    const [estimate, limit] = [inUnits(bytes, Math.ceil), inUnits(most.bytes)];
    throw responseTooLarge(`The response would have up to ${estimate}; at most ${limit} are sent.`);
  }
  return bytes;
}

function tooManyItems(items: number, most: number): GraphQLError {
  const message = `This operation requests up to ${items} items in nested pages; at most ${most} are allowed. Request fewer with \`first\`.`;
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
}
