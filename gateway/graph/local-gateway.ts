import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  getOperationAST,
  isListType,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { isPromise } from '../../kernel/awaitable.js';
import { CodedError } from '../../kernel/errors.js';
import { type Log, SILENT } from '../../kernel/log.js';
import {
  defaultsOf,
  type Flags,
  fragmentsOf,
  objectTypesOf,
  type SelectedField,
  type SelectionScope,
  selectFields,
} from '../../kernel/selections.js';
import type { PlanNode } from '../../kernel/trace.js';
import { createErrorList, eachMistake, INTERNAL_MESSAGE, inOrderOfPlaces, toSafeError } from '../../runtime/errors.js';
import { contextOf, type GatewayContext, type GatewayRequest } from '../request/request.js';
import { GraphContext, ownedField } from './executable-schema.js';

/** The part of Apollo Server's request that gateways use. */
export interface ExecutableRequest {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
  /** A `GatewayContext`, as Apollo types it. */
  readonly context: Record<string, unknown>;
  readonly request: {
    readonly operationName?: string;
    readonly variables?: Readonly<Record<string, unknown>>;
  };
}

/** The result of an operation. */
export type Result = ExecutionResult<Record<string, unknown>>;

/** Executes one valid operation; never rejects. */
export type Execute = (request: ExecutableRequest) => Promise<Result>;

/** Executes operations on the executable schema with graphql-js. `maxBytes` limits one response, as JSON. */
export function createLocalExecutor(schema: GraphQLSchema, maxBytes: number, log: Log): Execute {
  return async (request) => {
    const { operationName, variables = {} } = request.request;
    const operation = getOperationAST(request.document, operationName);
    if (!operation) return unknownOperation(operationName);
    const { recorder } = contextOf(request.context);
    if (recorder !== null) recorder.plan = describeJoins(schema, request.document, operation, variables);
    return executeGraph({ ...request, schema }, undefined, maxBytes, log);
  };
}

/** Executes an operation with graphql-js, on this root value; never rejects. `maxBytes` limits the response, as JSON. */
export async function executeGraph(
  { schema, document, context, request }: ExecutableRequest,
  rootValue: unknown,
  maxBytes: number,
  log: Log,
): Promise<Result> {
  const gatewayContext = contextOf(context);
  const { gatewayRequest } = gatewayContext;
  const { operationName, variables = {} } = request;
  try {
    const graph = new GraphContext(gatewayRequest, maxBytes);
    const result = execute({
      schema,
      document,
      rootValue,
      ...(operationName !== undefined && { operationName }),
      variableValues: variables,
      contextValue: graph,
    });
    const ended = isPromise(result) ? await endInTime(result, gatewayRequest, graph) : result;
    if (graph.tooLarge !== null) throw graph.tooLarge;
    gatewayContext.onSize?.(graph.bytes);
    return reportErrors(ended, gatewayContext, log);
  } catch (error) {
    if (error instanceof CodedError) return { data: null, errors: [error] };
    log.error({ requestId: gatewayRequest.id, err: error }, 'an operation could not be executed');
    return { errors: [internalError()] };
  }
}

/** Milliseconds after the cut-off in which an execution collects what was in time: nothing holds it any more. */
const COLLECTED_MS = 250;

/**
 * Settles like the execution. Rejects as soon as the response is too large, or if something holds it beyond the cut-off
 * of its request, which nothing should.
 */
function endInTime<T>(execution: Promise<T>, request: GatewayRequest, graph: GraphContext): Promise<T> {
  return new Promise((resolve, reject) => {
    graph.onTooLarge(reject);
    let timer: NodeJS.Timeout | undefined;
    const end = request.onCutoff((reason) => {
      timer = setTimeout(reject, COLLECTED_MS, reason);
    });
    void execution.then(resolve, reject).finally(() => {
      end();
      clearTimeout(timer);
    });
  });
}

/** The result with its errors as they may leave the process: coded, logged, and no more than a response lists. */
function reportErrors({ data, errors }: ExecutionResult, context: GatewayContext, log: Log): Result {
  const { gatewayRequest, omissions, onErrors } = context;
  if (errors === undefined) return { data: (data ?? null) as Record<string, unknown> | null };
  const list = createErrorList<GraphQLError>(omissions);
  const logOnce = createLogOfCauses(log);
  for (const error of eachMistake(errors))
    list.add(error.path, () => safeError(error, gatewayRequest.id, logOnce(error)));
  const listed = inOrderOfPlaces(list.errors, data);
  onErrors?.(listed);
  return { ...(data !== undefined && { data: data as Record<string, unknown> | null }), errors: listed };
}

/** The log for the first error of each cause, which may stand at thousands of places; none for the others. */
function createLogOfCauses(log: Log): (error: GraphQLError) => Log {
  const causes = new Set<unknown>();
  return (error) => {
    const cause = error.originalError ?? error;
    if (causes.has(cause)) return SILENT;
    causes.add(cause);
    return log;
  };
}

function safeError(error: GraphQLError, requestId: string, log: Log): GraphQLError {
  const { message, path, extensions } = toSafeError(error, requestId, log);
  return new GraphQLError(message, { path: path ?? null, extensions: extensions ?? {} });
}

/** The error for an operation that failed for an internal reason, which is in the log. */
export function internalError(): GraphQLError {
  return new GraphQLError(INTERNAL_MESSAGE, { extensions: { code: 'INTERNAL' } });
}

/** Apollo Server responds to it with 400 and the code OPERATION_RESOLUTION_FAILURE. */
export function unknownOperation(name: string | undefined): Result {
  const message =
    name === undefined
      ? 'The document has several operations: name the one to run in operationName.'
      : `The document has no operation named "${name}".`;
  return { errors: [new GraphQLError(message)] };
}

/**
 * The fields of an operation whose resolvers may make calls, as a tree: what is below a field waits for its value, what
 * is beside it does not. `Field`: answered by the subgraph that its object comes from; `Join`: by another one. `schema` is
 * the executable one, and `flags` the client's variables, as far as they decide `@skip` and `@include`.
 */
function describeJoins(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  flags: Flags,
): PlanNode {
  const root = schema.getRootType(operation.operation);
  const scope = { schema, fragments: fragmentsOf(document), flags: { ...defaultsOf(operation), ...flags } };
  const kind = operation.operation === OperationTypeNode.MUTATION ? 'Sequence' : 'Parallel';
  return { kind, children: root ? below([operation.selectionSet], root, '', scope) : [] };
}

type Sets = SelectedField['sets'];

function below(sets: Sets, type: GraphQLObjectType, place: string, scope: SelectionScope): PlanNode[] {
  return selectFields(sets, type, scope).flatMap((selected) => describe(selected, type, place, scope));
}

function describe(
  { key, name, sets }: SelectedField,
  parent: GraphQLObjectType,
  above: string,
  scope: SelectionScope,
): PlanNode[] {
  const field = parent.getFields()[name];
  if (field === undefined) return [];
  const { owner, declared, represent } = ownedField(field);
  const path = above === '' ? key : `${above}.${key}`;
  const children = objectTypesOf(field.type, scope.schema).flatMap((type) =>
    below(sets, type, `${path}${itemsOf(field.type)}`, scope),
  );
  if (declared.price === null && represent === null) return children;
  const kind = represent === null ? 'Field' : 'Join';
  return [{ kind, service: owner.name, path, ...(children.length > 0 && { children: unique(children) }) }];
}

/** `.@` for each list around the type. */
function itemsOf(type: GraphQLOutputType): string {
  const nullable = getNullableType(type);
  return isListType(nullable) ? `.@${itemsOf(nullable.ofType)}` : '';
}

/** The objects of an interface may have one field in common. */
function unique(nodes: readonly PlanNode[]): PlanNode[] {
  const byPlace = new Map(nodes.map((node) => [`${node.kind} ${node.service} ${node.path}`, node]));
  return [...byPlace.values()];
}
