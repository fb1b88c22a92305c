import { type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  type ASTNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
  getVariableValues,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Log } from '../../kernel/log.js';
import { fragmentsOf } from '../../kernel/selections.js';
import { inUnits } from '../../kernel/text.js';
import { isOurCode } from '../../runtime/errors.js';
import type { GatewayContext, ResolvedOperation } from '../request/context.js';
import { responseTooLarge } from '../request/request.js';
import type { LargeOperations } from './caller-queue.js';
import { costOf, introspects, type OperationCost } from './operation-cost.js';

/** What one operation may request: items of nested pages, and estimated bytes of its response. */
export type OperationLimits = OperationCost;

/** Fields selected next to introspection are executed by the library, which writes them in one go. */
const MAX_BYTES_BESIDE_INTROSPECTION = 256 * 1024;

/**
 * Refuses operations whose variables are invalid, or that request too many items or bytes, before they are priced and
 * planned, and makes large ones wait.
 */
export function costLimit(most: OperationLimits, large: LargeOperations, log: Log): ApolloServerPlugin<GatewayContext> {
  return {
    async requestDidStart() {
      let invalid: readonly GraphQLError[] = [];
      return {
        async didResolveOperation({ schema, source, document, operation, request, contextValue }) {
          // An unknown operation name is reported later.
          if (operation === undefined) return;
          const resolved = { schema, text: source, document, operation, variables: request.variables ?? {} };
          try {
            // The cost is calculated from variables as they were sent, and relies on their being valid.
            if (validateVariables(resolved).length > 0) {
              invalid = validateVariables(withLocations(resolved));
              return;
            }
            const bytes = limitCost(resolved, most);
            await contextValue.resolved?.(resolved);
            await large.admit(contextValue.gatewayRequest, bytes);
          } catch (error) {
            // The library responds with whatever is thrown here, and logs nothing.
            const isRefusal = error instanceof GraphQLError && isOurCode(error.extensions['code']);
            if (!isRefusal)
              log.error({ requestId: contextValue.gatewayRequest.id, err: error }, 'limits or pricing failed');
            throw error;
          }
        },
        async responseForOperation() {
          if (invalid.length === 0) return null;
          const errors = invalid.map(variableError);
          const http = { status: 400, headers: new HeaderMap() };
          return { http, body: { kind: 'single', singleResult: { errors } } };
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
  const introspected = introspects(resolved);
  if (introspected === 'too much')
    throw responseTooLarge('The operation reads more of the schema than any tool needs.');
  if (introspected === 'some' && bytes > MAX_BYTES_BESIDE_INTROSPECTION) {
    throw responseTooLarge('Select __schema and __type in a separate operation.');
  }
  return bytes;
}

/** The operation with the locations of its text, which are not kept with the document. */
function withLocations(resolved: ResolvedOperation): ResolvedOperation {
  const document = parse(resolved.text);
  const operation = getOperationAST(document, resolved.operation.name?.value);
  return operation ? { ...resolved, document, operation } : resolved;
}

function variableError({ message, nodes }: GraphQLError): GraphQLFormattedError {
  return new GraphQLError(message, { nodes: nodes ?? null, extensions: { code: 'BAD_USER_INPUT' } }).toJSON();
}

function tooManyItems(items: number, most: number): GraphQLError {
  const message = `This operation requests up to ${items} items in nested pages; at most ${most} are allowed. Request fewer with \`first\`.`;
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
}

/** Variable errors in one response, including the notice that there are more. */
const MAX_VARIABLE_ERRORS = 50;

/** An operation of a validated document, with its variables as they were sent. */
type SentOperation = Omit<ResolvedOperation, 'text'>;

/**
 * Errors of the client's variables; empty if all are valid. Checking them first, with a limit, keeps the library from
 * producing a list of errors as long as the client's input.
 */
export function validateVariables(sent: SentOperation): readonly GraphQLError[] {
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
function forbiddenNulls(sent: SentOperation): GraphQLError[] {
  const nulls = (sent.operation.variableDefinitions ?? []).filter((definition) => isNull(definition, sent.variables));
  if (nulls.length === 0) return [];
  const places = placesWithoutNull(sent);
  return nulls.flatMap((definition) => {
    const name = definition.variable.name.value;
    const place = places.get(name);
    if (place === undefined) return [];
    return [new GraphQLError(`Variable "$${name}" must not be null: ${place}.`, { nodes: definition })];
  });
}

function isNull(
  { variable: { name }, defaultValue }: VariableDefinitionNode,
  variables: SentOperation['variables'],
): boolean {
  if (Object.hasOwn(variables, name.value)) return variables[name.value] === null;
  return defaultValue?.kind === Kind.NULL;
}

/** For each variable used where null is not allowed, one such place. */
type Places = ReadonlyMap<string, string>;

const known = new WeakMap<OperationDefinitionNode, Places>();

/** Found once per document. */
function placesWithoutNull(sent: SentOperation): Places {
  const places = known.get(sent.operation) ?? findPlaces(sent);
  known.set(sent.operation, places);
  return places;
}

function findPlaces({ schema, document, operation }: SentOperation): Places {
  const fragments = fragmentsOf(document);
  const places = new Map<string, string>();
  const spread = new Set<string>();
  const read = (definition: OperationDefinitionNode | FragmentDefinitionNode) => {
    const types = new TypeInfo(schema);
    const typed = visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Variable({ name }, _key, parent) {
        if (isNonNullType(types.getInputType())) places.set(name.value, placeOf(types, parent));
      },
      FragmentSpread: ({ name }) => void spread.add(name.value),
    });
    visit(definition, typed);
  };
  read(operation);
  // Iterating over a set also visits items that are added meanwhile.
  for (const name of spread) {
    const fragment = fragments.get(name);
    if (fragment !== undefined) read(fragment);
  }
  return places;
}

/** Describes where a variable is used: as an argument's value, or somewhere within it. */
function placeOf(types: TypeInfo, parent: Parent): string {
  const directive = types.getDirective();
  const owner = directive ? `@${directive.name}` : `field "${types.getFieldDef()?.name}"`;
  const isWhole = parent !== undefined && 'kind' in parent && parent.kind === Kind.ARGUMENT;
  const value = `${isWhole ? '' : 'a value in '}argument "${types.getArgument()?.name}"`;
  return `${value} of ${owner} has the type "${types.getInputType()}"`;
}

type Parent = ASTNode | readonly ASTNode[] | undefined;
