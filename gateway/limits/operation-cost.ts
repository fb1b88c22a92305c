import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getVariableValues,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeInfo,
  ValidationContext,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import type { Log } from '../../kernel/log.js';
import { defaultsOf, type FindFragment, fragmentsOf, type MergedField, mergeFields } from '../../kernel/selections.js';
import { inUnits } from '../../kernel/text.js';
import { isOurCode } from '../../runtime/errors.js';
import { factsOf, type GatewayContext, type ResolvedOperation, responseTooLarge } from '../request/request.js';
import { createCallerQueue } from './caller-queue.js';

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

/** Path of an argument: its name, then input fields and indexes of lists. */
type ArgumentPath = readonly (string | number)[];

/**
 * The errors of an operation's variables as clients see them, each with the path of the argument that the mistake is in;
 * empty if all are valid.
 */
function variableErrors(resolved: ResolvedOperation): readonly GraphQLFormattedError[] {
  const mistakes = mistakesIn(resolved);
  if (mistakes.length === 0) return [];
  const uses = firstUses(resolved.document);
  return mistakes.map(({ message, nodes }) => {
    const variable = nodes?.find((node): node is VariableDefinitionNode => node.kind === Kind.VARIABLE_DEFINITION);
    const name = variable?.variable.name.value;
    const argument = name === undefined ? undefined : [...(uses.get(name) ?? [name]), ...placeIn(message, name)];
    const extensions = { code: 'BAD_USER_INPUT', ...(argument !== undefined && { argument }) };
    return new GraphQLError(message, { nodes: nodes ?? null, extensions }).toJSON();
  });
}

/** The path of the argument in which each variable is first used. */
function firstUses(document: DocumentNode): ReadonlyMap<string, ArgumentPath> {
  const uses = new Map<string, ArgumentPath>();
  visit(document, {
    VariableDefinition: () => false,
    Variable: (...[{ name }, _key, parent, _path, ancestors]) => {
      if (!uses.has(name.value)) uses.set(name.value, stepsOf([...ancestors, ...(parent ? [parent] : [])]));
    },
  });
  return uses;
}

function stepsOf(ancestors: readonly (ASTNode | readonly ASTNode[])[]): string[] {
  return ancestors.flatMap((node) =>
    'kind' in node && (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) ? [node.name.value] : [],
  );
}

/** Where in the value of a variable a mistake is; the library has it in its message alone: `at "where.zips[0]"; …`. */
function placeIn(message: string, variable: string): ArgumentPath {
  const [, path = ''] = new RegExp(` at "${variable}((?:\\.\\w+|\\[\\d+\\])+)"; `).exec(message) ?? [];
  // For a field that is missing or unknown, it names the object.
  const [, field] = /; Field "(\w+)" (?:of required type|is not defined by type) /.exec(message) ?? [];
  const steps = (path.match(/\w+/g) ?? []).map((step) => (/^\d/.test(step) ? Number(step) : step));
  return field === undefined ? steps : [...steps, field];
}

/** Variable errors in one response, including the notice that there are more. */
const MAX_VARIABLE_ERRORS = 50;

/**
 * Errors of the client's variables; empty if all are valid. Checking them first, with a limit, keeps the library from
 * producing a list of errors as long as the client's input.
 */
function mistakesIn(sent: ResolvedOperation): readonly GraphQLError[] {
  const { variableDefinitions = [] } = sent.operation;
  if (variableDefinitions.length === 0) return [];
  const { errors = [] } = getVariableValues(sent.schema, variableDefinitions, sent.variables, {
    maxErrors: MAX_VARIABLE_ERRORS - 1,
  });
  return errors.length > 0 ? errors : forbiddenNulls(sent).slice(0, MAX_VARIABLE_ERRORS);
}

/**
 * Variables that are null where null is not allowed. GraphQL lets a nullable variable with a default value be used in a
 * non-null position, and each executor would report its null in a different way.
 */
function forbiddenNulls(sent: ResolvedOperation): GraphQLError[] {
  const nulls = (sent.operation.variableDefinitions ?? []).filter((definition) => isNull(definition, sent.variables));
  if (nulls.length === 0) return [];
  const uses = usesOf(sent);
  return nulls.flatMap((definition) => {
    const name = definition.variable.name.value;
    const use = uses.find(({ node, type }) => node.name.value === name && isNonNullType(type));
    if (use === undefined) return [];
    return [
      new GraphQLError(`Variable "$${name}" must not be null: it is used as "${use.type}".`, { nodes: definition }),
    ];
  });
}

type Uses = ReturnType<ValidationContext['getRecursiveVariableUsages']>;

const usesKnown = new WeakMap<OperationDefinitionNode, Uses>();

/** Where an operation uses its variables; found once for each document, as filters that are not set are sent as null. */
function usesOf({ schema, document, operation }: ResolvedOperation): Uses {
  const context = () => new ValidationContext(schema, document, new TypeInfo(schema), () => {});
  const uses = usesKnown.get(operation) ?? context().getRecursiveVariableUsages(operation);
  usesKnown.set(operation, uses);
  return uses;
}

function isNull(
  { variable: { name }, defaultValue }: VariableDefinitionNode,
  variables: ResolvedOperation['variables'],
): boolean {
  if (Object.hasOwn(variables, name.value)) return variables[name.value] === null;
  return defaultValue?.kind === Kind.NULL;
}
