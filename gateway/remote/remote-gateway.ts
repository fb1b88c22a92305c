import type { GraphQLDataSource } from '@apollo/gateway';
import type { QueryPlan } from '@apollo/query-planner';
import { type DocumentNode, execute, GraphQLError, Kind, type OperationDefinitionNode } from 'graphql';
import type { WatchCache } from '../../kernel/caches.js';
import { CodedError, withoutStack } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import type { PlanNode } from '../../kernel/trace.js';
import { type ErrorList, inOrderOfPlaces, type ResponsePath } from '../../runtime/errors.js';
import { laterTurn } from '../../runtime/event-loop/turns.js';
import { disableApolloTelemetry } from '../../runtime/process/lifecycle.js';
import { libraryLog } from '../../runtime/process/logging.js';
import {
  type ExecutableRequest,
  type Execute,
  internalError,
  type Result,
  unknownOperation,
} from '../graph/local-gateway.js';
import { contextOf, type GatewayContext } from '../request/request.js';
import { placeErrors } from './error-places.js';
import { type Data, MergedResponse } from './merged-response.js';
import { createPlanner, type Planner } from './planner.js';
import {
  createPrivateNames,
  type FoundOperation,
  type PlannedDocument,
  type PreparedDocument,
  type PrivateNames,
  prepareDocument,
} from './prepared-operation.js';
import type { Source } from './source.js';

/*
 * A gateway some or all of whose subgraphs run in other processes: @apollo/gateway plans an operation, fetches its
 * parts from subgraphs and merges them. This folder is what stands around the library:
 *
 *     document → prepared-operation → planner → @apollo/gateway → error-places → response
 *                                                   ↕ data source: merged-response
 *                                                 source → failed-fetch (errors of fields, equal representations once)
 *                                                   ↕
 *                        in this process, or http-subgraph (credential, deadline, recorded calls), subgraph-responses
 *
 * Before the library, an operation is prepared: what the planner gets wrong, it never sees. Between its fetches, the
 * data source never throws, keeps errors to itself, which the library would leak and misplace, and bounds what is
 * merged. Behind it, errors and data get the places and names of the client. Nothing is thrown, and no data are null
 * without an error.
 */

/** What a remote gateway is created from. */
interface RemoteGatewayOptions {
  /** The SDL of the supergraph. */
  readonly sdl: string;
  readonly map: SupergraphMap;
  /** Limit on one response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  readonly log: Log;
  readonly watchCache: WatchCache;
  /** The source of a subgraph, by its name in the supergraph. */
  sourceFor(name: string): Source;
}

/** What operations are executed with. */
interface Engine extends Pick<RemoteGatewayOptions, 'map' | 'maxResponseBytes' | 'log'> {
  readonly names: PrivateNames;
  readonly planner: Planner;
  readonly prepared: WeakMap<DocumentNode, PreparedDocument>;
  /** The responses that are being merged, by the request as the library knows it. */
  readonly running: WeakMap<object, MergedResponse>;
  readonly library: Execute;
}

/**
 * What one operation may request. The library merges and shapes a response in one go, without turns of the event loop:
 * measured, 6 µs for an item of nine fields, 14 with a join, and 90 ms for the worst within these limits.
 */
export const REMOTE_LIMITS = { items: 10_000, bytes: 3 * 1024 * 1024 };

/** Creates a gateway. It loads @apollo/gateway, a thousand files, which blocks the process for half a second. */
export async function createRemoteGateway(options: RemoteGatewayOptions) {
  const { sdl, map, log, watchCache, sourceFor } = options;
  disableApolloTelemetry();
  const { ApolloGateway } = await import('@apollo/gateway');
  const planner = createPlanner({ sdl, log, watchCache });
  const names = createPrivateNames(map);
  const running = new WeakMap<object, MergedResponse>();
  const gateway = new ApolloGateway({
    supergraphSdl: sdl,
    // It was validated when it was composed.
    validateSupergraph: false,
    queryPlannerConfig: { cache: planner.plans },
    // The library would show plans to anyone who sends its header; here only the trace shows them.
    __exposeQueryPlanExperimental: false,
    logger: libraryLog(log, '@apollo/gateway'),
    buildService: ({ name }) => createDataSource(name, sourceFor(name), running, names),
    experimental_didResolveQueryPlan: ({ queryPlan, requestContext }) =>
      recordPlan(contextOf(requestContext.context), describePlan(queryPlan.node, names)),
  });
  const { executor } = await gateway.load();
  // The library reads no other property of Apollo Server's request.
  const library = executor as unknown as Execute;
  const engine: Engine = { ...options, names, planner, running, library, prepared: new WeakMap() };
  return {
    execute: (request: ExecutableRequest) => executeSafely(request, engine),
    async close() {
      await planner.close();
      await gateway.stop();
    },
  };
}

function recordPlan({ recorder, gatewayRequest }: GatewayContext, plan: PlanNode | null): void {
  if (recorder === null) return;
  recorder.plan = plan;
  recorder.planMs = gatewayRequest.recorder.elapsedMs();
}

/** A node of the library's plan as a trace shows it, with the client's names; null for one that no operation has. */
function describePlan(node: QueryPlan['node'], names: PrivateNames): PlanNode | null {
  switch (node?.kind) {
    case 'Sequence':
    case 'Parallel':
      return { kind: node.kind, children: node.nodes.flatMap((below) => describePlan(below, names) ?? []) };
    case 'Flatten': {
      const children = [describePlan(node.node, names)].filter((below) => below !== null);
      return { kind: 'Flatten', path: names.restoreText(node.path.join('.')), children };
    }
    case 'Fetch':
      return { kind: 'Fetch', service: node.serviceName, operation: names.restoreText(node.operation) };
    default:
      return null;
  }
}

/** The data source of a subgraph. It never throws, and leaves errors to the merged response. */
function createDataSource(
  subgraph: string,
  source: Source,
  running: WeakMap<object, MergedResponse>,
  names: PrivateNames,
): GraphQLDataSource {
  return {
    async process(options) {
      // Other kinds are introspection and the library's own health checks, which this gateway does not use.
      if (!('incomingRequestContext' in options)) return { data: {} };
      const { query = '', variables, operationName } = options.request;
      const merged = running.get(options.incomingRequestContext);
      if (merged === undefined) throw new Error('A fetch of no request.');
      const path = (options.pathInIncomingRequest ?? []).map(String);
      const representations: unknown = variables?.['representations'];
      const fetch = { subgraph, path, representations: Array.isArray(representations) ? representations : null };
      if (!merged.admits(fetch)) return { data: null };
      const { gatewayRequest } = contextOf(options.context);
      const planNode = path.map(names.restoreName).join('.');
      const response = await source.execute({ query, variables, operationName }, gatewayRequest, planNode);
      return { data: await merged.add(fetch, response) };
    },
  };
}

/** Expects valid operations and variables; never rejects. */
async function executeSafely(request: ExecutableRequest, engine: Engine): ReturnType<Execute> {
  const context = contextOf(request.context);
  try {
    const { operationName, variables = {} } = request.request;
    const found = (await prepareOnce(request, engine)).find(operationName, variables);
    if (found === null) return unknownOperation(operationName);
    const { data, errors } = await executeParts(found, request, context, engine);
    if (errors.length === 0) return { data };
    const { operation } = found.prepared;
    const { map: supergraph, names } = engine;
    const placed = inOrderOfPlaces(
      placeErrors(errors, data, { operation, supergraph, names, omissions: context.omissions }),
      data,
    );
    context.onErrors?.(placed);
    return { data, errors: placed };
  } catch (error) {
    if (error instanceof CodedError) return { errors: [error] };
    logFailure(error, context, engine.log);
    return { errors: [internalError()] };
  }
}

async function prepareOnce({ document, schema }: ExecutableRequest, engine: Engine) {
  const before = engine.prepared.get(document);
  if (before !== undefined) return before;
  // A large document takes milliseconds.
  await laterTurn();
  const prepared = prepareDocument(document, schema, engine.names);
  engine.prepared.set(document, prepared);
  return prepared;
}

/** Data with the client's names, and errors at places of the prepared operation. */
interface Executed {
  readonly data: Data | null;
  readonly errors: readonly GraphQLError[];
}

/** Executes both parts of an operation: what subgraphs answer, and what the schema itself does. */
async function executeParts(
  { prepared, variables }: FoundOperation,
  request: ExecutableRequest,
  context: GatewayContext,
  engine: Engine,
): Promise<Executed> {
  const { planned, introspection, readsSchema, operation, hasPrivateNames } = prepared;
  if (planned === null) recordPlan(context, null);
  const fetched: Executed =
    planned === null
      ? { data: {}, errors: [] }
      : await executePlanned(planned, { ...request.request, variables }, { request, context }, engine);
  if (fetched.data === null) return fetched;
  let { data } = fetched;
  if (introspection !== null) {
    if (readsSchema) await laterTurn();
    const read = await execute({ schema: request.schema, document: introspection, variableValues: variables });
    data = inOrder({ ...data, ...read.data }, operation);
  }
  return { data: hasPrivateNames ? engine.names.restoreData(data) : data, errors: fetched.errors };
}

/** The data with its keys in the order of the operation's root fields. */
function inOrder(data: Data, { selectionSet }: OperationDefinitionNode): Data {
  const fields = selectionSet.selections.filter((selection) => selection.kind === Kind.FIELD);
  return Object.fromEntries(fields.map(({ alias, name }) => [(alias ?? name).value, data[(alias ?? name).value]]));
}

/** Plans a document and has the library execute it. */
async function executePlanned(
  { document, text, key }: PlannedDocument,
  { operationName: _, ...sent }: ExecutableRequest['request'],
  { request, context }: { readonly request: ExecutableRequest; readonly context: GatewayContext },
  { planner, running, library, maxResponseBytes, log }: Engine,
): Promise<Executed> {
  const { gatewayRequest, omissions } = context;
  const span = gatewayRequest.span?.child('plan');
  await planner.plan({ text, key }, gatewayRequest).finally(() => span?.end());
  // By the library's own rule, the hash of the text is the key of its plan.
  const own = { ...request, document, queryHash: key, request: sent };
  const merged = new MergedResponse(omissions, maxResponseBytes);
  running.set(own, merged);
  const result = await library(own);
  if (merged.tooLarge !== null) throw merged.tooLarge;
  const { data = null } = result;
  const { errors } = merged;
  for (const error of result.errors ?? []) {
    // Errors of subgraphs are not among these: either merging failed, or a value has no place in the schema.
    logFailure(error, context, log);
    errors.add(undefined, () => (result.data === undefined ? invalidValue(undefined) : internalError()));
  }
  addValueErrors(errors, result.extensions);
  if (data === null && errors.errors.length === 0) throw new Error('The library returned neither data nor an error.');
  if (merged.isLong) await laterTurn();
  return { data, errors: errors.errors };
}

/**
 * The library nulls a value that violates the schema and reports it only in `extensions.valueCompletion`, which no
 * client reads. Here it becomes an ordinary error, unless one at its place, or above it, already says why.
 */
function addValueErrors(errors: ErrorList<GraphQLError>, extensions: Result['extensions']): void {
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

function logFailure(error: unknown, { gatewayRequest }: GatewayContext, log: Log): void {
  log.error({ requestId: gatewayRequest.id, err: error }, 'query planning or execution failed');
}
