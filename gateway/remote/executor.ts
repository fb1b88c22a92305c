import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { CodedError, withoutStack } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { type ErrorList, INTERNAL_MESSAGE, type ResponsePath } from '../../runtime/errors.js';
import { ownTurn } from '../../runtime/event-loop/turns.js';
import { contextOf, type GatewayContext } from '../request/context.js';
import { nullMovedFields, placeErrors } from './error-places.js';
import { type Data, MergedResponse } from './merged-response.js';
import type { Planner } from './planner.js';
import {
  type FoundOperation,
  type PlannedDocument,
  type PreparedDocument,
  prepareDocument,
} from './prepared-operation.js';
import type { PrivateNames } from './private-names.js';

/** The part of Apollo Server's request that is used here; the library gets the rest too. */
export interface ExecutableRequest {
  readonly document: DocumentNode;
  readonly schema: GraphQLSchema;
  /** A `GatewayContext`, as Apollo types it. */
  readonly context: Record<string, unknown>;
  readonly request: { readonly operationName?: string; readonly variables?: Record<string, unknown> };
}

/** Executes one operation. */
export type Execute = (request: ExecutableRequest) => Promise<ExecutionResult<Data>>;

/** What operations are executed with. */
export interface ExecutorScope {
  readonly map: SupergraphMap;
  readonly names: PrivateNames;
  readonly planner: Planner;
  /** The responses that are being merged, by the request as the library knows it. */
  readonly running: WeakMap<object, MergedResponse>;
  /** Limit on one response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  readonly log: Log;
}

/** Creates what stands around the library's own executor. Expects valid operations and variables; never rejects. */
export function createExecutor(library: Execute, scope: ExecutorScope): Execute {
  const { names, map, log } = scope;
  const known = new WeakMap<DocumentNode, PreparedDocument>();

  async function prepareOnce({ document, schema }: ExecutableRequest, context: GatewayContext) {
    const before = known.get(document);
    if (before !== undefined) return before;
    // A large document takes milliseconds.
    await ownTurn(context.gatewayRequest);
    const prepared = prepareDocument(document, schema, names);
    known.set(document, prepared);
    return prepared;
  }

  async function executePlaced(request: ExecutableRequest): ReturnType<Execute> {
    const { operationName, variables = {} } = request.request;
    const context = contextOf(request.context);
    const found = (await prepareOnce(request, context)).find(operationName, variables);
    if (found === null) return unknownOperation(operationName);
    const { data, errors } = await executeParts(found, { request, context }, library, scope);
    if (errors.length === 0) return { data };
    const { operation } = found.prepared;
    const placed = placeErrors(errors, { operation, supergraph: map, names, omissions: context.omissions });
    if (data !== null) nullMovedFields(data, placed);
    context.onErrors?.(placed.errors);
    return { data, errors: placed.errors };
  }

  return async (request) => {
    try {
      return await executePlaced(request);
    } catch (error) {
      if (error instanceof CodedError) return { errors: [error] };
      logFailure(error, contextOf(request.context), log);
      return { errors: [internalError()] };
    }
  };
}

/** Apollo Server responds to it with 400 and the code OPERATION_RESOLUTION_FAILURE. */
function unknownOperation(name: string | undefined): ExecutionResult<Data> {
  const message =
    name === undefined
      ? 'The document has several operations: name the one to run in operationName.'
      : `The document has no operation named "${name}".`;
  return { errors: [new GraphQLError(message)] };
}

interface Running {
  readonly request: ExecutableRequest;
  readonly context: GatewayContext;
}

/** Data with the client's names, and errors at places of the prepared operation. */
interface Executed {
  readonly data: Data | null;
  readonly errors: readonly GraphQLError[];
}

/** Executes both parts of an operation: what subgraphs answer, and what the schema itself does. */
async function executeParts(
  { prepared, variables }: FoundOperation,
  running: Running,
  library: Execute,
  scope: ExecutorScope,
): Promise<Executed> {
  const { planned, introspection, readsSchema, operation, hasPrivateNames } = prepared;
  const { gatewayRequest, recorder } = running.context;
  const fetched = planned === null ? NOTHING : await executePlanned(planned, variables, running, { library, scope });
  if (planned === null) recorder?.recordPlan(undefined);
  if (fetched.data === null) return fetched;
  const { schema } = running.request;
  let { data } = fetched;
  if (introspection !== null) {
    if (readsSchema) await ownTurn(gatewayRequest);
    const read = await execute({ schema, document: introspection, variableValues: variables });
    data = inOrder({ ...data, ...read.data }, operation);
  }
  return { data: hasPrivateNames ? scope.names.restoreData(data) : data, errors: fetched.errors };
}

const NOTHING: Executed = { data: {}, errors: [] };

/** The data with its keys in the order of the operation's root fields. */
function inOrder(data: Data, { selectionSet }: OperationDefinitionNode): Data {
  const fields = selectionSet.selections.filter((selection) => selection.kind === Kind.FIELD);
  return Object.fromEntries(fields.map(({ alias, name }) => [(alias ?? name).value, data[(alias ?? name).value]]));
}

/** Plans a document and has the library execute it. */
async function executePlanned(
  { document, text, key }: PlannedDocument,
  variables: FoundOperation['variables'],
  { request, context }: Running,
  { library, scope }: { readonly library: Execute; readonly scope: ExecutorScope },
): Promise<Executed> {
  const { gatewayRequest, omissions } = context;
  const span = gatewayRequest.span?.child('plan');
  await scope.planner.plan({ text, key }, gatewayRequest).finally(() => span?.end());
  const { operationName: _, ...sent } = request.request;
  // By the library's own rule, the hash of the text is the key of its plan.
  const own = { ...request, document, queryHash: key, request: { ...sent, variables } };
  const merged = new MergedResponse(gatewayRequest, omissions, scope.maxResponseBytes);
  scope.running.set(own, merged);
  const result = await library(own);
  if (merged.tooLarge !== null) throw merged.tooLarge;
  const { data = null } = result;
  const { errors } = merged;
  for (const error of result.errors ?? []) {
    // Errors of subgraphs are not among these: either merging failed, or a value has no place in the schema.
    logFailure(error, context, scope.log);
    errors.add(undefined, () => (result.data === undefined ? invalidValue(undefined) : internalError()));
  }
  addValueErrors(errors, result.extensions);
  if (data === null && errors.errors.length === 0) throw new Error('The library returned neither data nor an error.');
  if (merged.isLong) await ownTurn(gatewayRequest);
  return { data, errors: errors.errors };
}

/**
 * The library nulls a value that violates the schema and reports it only in `extensions.valueCompletion`, which no
 * client reads. Here it becomes an ordinary error, unless one at its place, or above it, already says why.
 */
function addValueErrors(errors: ErrorList<GraphQLError>, extensions: ExecutionResult['extensions']): void {
  const failures = extensions?.['valueCompletion'];
  const explained = new Set(errors.errors.map(({ path = [] }) => path.join('.')));
  for (const failure of Array.isArray(failures) ? failures : []) {
    if (!(failure instanceof GraphQLError)) continue;
    const { path = [] } = failure;
    if (explained.size > 0 && path.some((_, end) => explained.has(path.slice(0, end + 1).join('.')))) continue;
    errors.add(path, () => invalidValue(path));
  }
}

function invalidValue(path: ResponsePath | undefined): GraphQLError {
  const message = 'A source sent a value that does not fit the type of this field.';
  const extensions = { code: 'UPSTREAM_INVALID_RESPONSE' };
  return withoutStack(() => new GraphQLError(message, { path: path ?? null, extensions }));
}

function internalError(): GraphQLError {
  return new GraphQLError(INTERNAL_MESSAGE, { extensions: { code: 'INTERNAL' } });
}

function logFailure(error: unknown, { gatewayRequest }: GatewayContext, log: Log): void {
  log.error({ requestId: gatewayRequest.id, err: error }, 'query planning or execution failed');
}
