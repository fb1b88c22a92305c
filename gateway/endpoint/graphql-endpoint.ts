import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MintCredential } from '../../runtime/credentials/credential-headers.js';
import { createOmissions, type OmittedErrors } from '../../runtime/errors/error-list.js';
import type { WatchCache } from '../../schema/caches.js';
import { createCallAllowance } from '../../schema/call-allowance.js';
import { CodedError } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import type { Trace } from '../../schema/trace.js';
import type { Tracing } from '../../schema/tracing.js';
import type { Identity } from '../auth/index.js';
import type { DirectExecutor, WhyGeneral } from '../execution/direct/direct-executor.js';
import { statusOf } from '../execution/format-error.js';
import type { GraphqlServer } from '../execution/graphql-server.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { statusFor } from '../http/legacy-status.js';
import { RequestError } from '../http/request-error.js';
import type { SafelistPolicy } from '../limits/safelist.js';
import { cacheStatus } from '../request/cache-status.js';
import { createGatewayRequest, type GatewayRequest } from '../request/request.js';
import { createPlanRecorder } from '../request/trace.js';
import type { Subgraphs } from '../subgraphs/connect-subgraphs.js';
import { planRows, type RowPlan } from '../web/export/row-plan.js';
import { type Caller, createIdentification, isForEveryone } from './caller.js';
import { createDirectEndpoint, type DirectEndpoint } from './direct.js';
import type { FastPath } from './fast-path.js';
import { createOperationReader, type IncomingOperation, isGet } from './operation-reader.js';
import { createPricedRequests, type IncomingRequest, type PricedOptions, type PricedRequests } from './priced.js';
import { createRefusal, type RefusalReport } from './refusal.js';
import { type RequestMetrics, reportResponse } from './request-report.js';
import { createResponseHeaders } from './response-headers.js';
import { type Executed, rowsOf } from './rows-of-response.js';
import { createResponseSender, type ResponseSender } from './send-response.js';

/** What the endpoint is created from. */
export interface GraphqlEndpointOptions extends PricedOptions {
  readonly server: GraphqlServer;
  readonly subgraphs: Subgraphs;
  readonly deadlineMs: number;
  readonly maxCallsPerRequest: number;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
  readonly reportRefusal: RefusalReport;
  /** Null for a foreign supergraph. */
  readonly direct: DirectExecutor | null;
  /** Null if logging in is not configured. */
  readonly identity: Identity | null;
  readonly crossOrigin: CrossOrigin;
  readonly mintCredential: MintCredential;
  readonly safelist: SafelistPolicy | null;
  readonly watchCache: WatchCache;
  /** Replaces the planner's private names in a text with the client's. */
  restoreText(text: string): string;
}

/** Answers GraphQL over HTTP. */
export interface GraphqlEndpoint {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Runs ahead of the router; null if nothing is answered from the cache. */
  readonly fastPath: FastPath | null;
  /** Sends the error for a request that never became an operation. */
  refuse(error: RequestError | CodedError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** The same for a request whose body could not be read; it counts against its caller. */
  refuseUnread(error: RequestError | CodedError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** Creates the endpoint over a GraphQL server: reads headers and body, runs one operation, writes headers and body. */
export function createGraphqlEndpoint(options: GraphqlEndpointOptions): GraphqlEndpoint {
  const { subgraphs, callerLimits, crossOrigin } = options;
  const read = createOperationReader(options);
  const identify = createIdentification(options);
  const headersOf = createResponseHeaders(crossOrigin, subgraphs);
  const direct = createDirectEndpoint({ ...options, identify, headersOf });
  const send = createResponseSender(headersOf);
  const prices = createPricedRequests(options);
  const execute = createExecution(options, { direct, send, prices });
  const refuse = createRefusal(options.reportRefusal, send);

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      const operation = await read(request);
      const { rows, parameters, type } = operation;
      const isExecuted = rows !== null || prices.isPriced(request);
      const { caller, response, limits } = await direct.attempt(request, parameters, isExecuted);
      reply.headers(limits);
      if (typeof response !== 'object' || response === null)
        return await execute(request, reply, operation, { caller, way: response ?? undefined });
      const isForAll = isForEveryone(caller, request.headers);
      return send.whole(request, reply, { ...response, body: response.body.bytes(), type, isForAll });
    } catch (error) {
      if (isReported(error)) return refuse(error, request, reply);
      throw error;
    }
  }

  const refuseUnread: GraphqlEndpoint['refuseUnread'] = async (error, request, reply) => {
    const tooMany = await callerLimits.admitUnread(request.raw).catch((refused: RequestError) => refused);
    return refuse(tooMany ?? error, request, reply);
  };

  return { handle, fastPath: direct.fastPath, refuse, refuseUnread };
}

/**
 * Executes an operation of an admitted caller. `way` says why it was not answered directly; undefined if that was not
 * tried. Rejects with a CodedError or RequestError if the operation is refused.
 */
type ExecuteOperation = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: IncomingOperation,
  sent: { readonly caller: Caller; readonly way: WhyGeneral | undefined },
) => Promise<FastifyReply>;

/** What operations are executed with. */
interface ExecutionParts {
  readonly direct: DirectEndpoint;
  readonly send: ResponseSender;
  readonly prices: PricedRequests;
}

/** An operation that is being executed. */
interface Running extends IncomingRequest {
  readonly operation: IncomingOperation;
  readonly caller: Caller;
  readonly way: WhyGeneral | undefined;
  readonly plan: RowPlan | null;
}

/** The general way: prices and runs an operation, reports it, and sends its response or the rows in it. */
function createExecution(options: GraphqlEndpointOptions, parts: ExecutionParts): ExecuteOperation {
  const { server, subgraphs, callerLimits } = options;
  const { direct, send, prices } = parts;

  return async (request, reply, operation, { caller, way }) => {
    const { rows, parameters, type } = operation;
    const { credentials } = caller;
    const callerId = callerLimits.callerIdOf(request.raw, credentials);
    const gatewayRequest = startRequest(request.id, callerId, { caller, rows }, options);
    cancelWhenGone(reply, gatewayRequest);
    try {
      const scope = { schema: server.schema(), caller: gatewayRequest };
      const plan = rows === null ? null : await planRows(await server.withPersistedText(parameters), rows, scope);
      const firstPage = plan?.pages?.parametersAfter(null) ?? parameters;
      const running = { operation, caller, way, plan, request, parameters: firstPage, gatewayRequest, credentials };
      if (!prices.isDryRun(request)) return await respond(reply, running, await run(reply, running));
      const price = await prices.dryRun(running, plan?.pages ?? null);
      const attributes = { 'http.response.status_code': price.status, 'passerelle.way': 'dry-run' };
      gatewayRequest.span?.end(attributes, price.code);
      return await send.json(request, reply, { ...price, type });
    } catch (error) {
      // A refusal on the way is recorded in the trace too.
      gatewayRequest.span?.end({}, isReported(error) ? error.code : 'INTERNAL');
      throw error;
    } finally {
      gatewayRequest.finish();
    }
  };

  async function run(reply: FastifyReply, running: Running): Promise<Executed> {
    const { request, parameters, gatewayRequest, caller } = running;
    const recorder = caller.traced ? createPlanRecorder(gatewayRequest, options.restoreText) : null;
    const price = await prices.before(running);
    const resolved = price === null ? {} : { resolved: price.resolved };
    const context = { gatewayRequest, recorder, omissions: createOmissions(), ...resolved };
    const result = await server.run(isGet(request) ? 'GET' : 'POST', parameters, context);
    gatewayRequest.finish();
    price?.report(reply, result.errors === undefined);
    const { session } = caller;
    const response = session === null ? result : { ...result, errors: await session.settle(result.errors) };
    return { response, context, price };
  }

  async function respond(reply: FastifyReply, running: Running, executed: Executed): Promise<FastifyReply> {
    const { request, operation, gatewayRequest, caller, way } = running;
    const { response, context, price } = executed;
    const { data, errors } = response;
    const rowResponse = await rowsOf(running, executed, options).finally(() => {
      // Returns nothing on purpose: a reply is a thenable that resolves when it has been sent.
      reply.headers(price?.limits() ?? {});
    });
    const hasNoRows = operation.rows !== null && rowResponse === null && response.status === 200;
    const code = errors?.[0]?.extensions?.['code'];
    const status = hasNoRows ? statusOf(code) : statusFor(request.headers.accept, response.status, code);
    reportResponse(options, { ...response, status }, operation.parameters, { gatewayRequest, way });
    if (operation.rows === null) direct.learn(operation.parameters, response, running);
    const { stale } = gatewayRequest.recorder;
    if (stale !== null) reply.header('cache-status', cacheStatus(stale));
    if (rowResponse !== null) return send.rows(request, reply, rowResponse, response.bytes);
    const freshUntilMs = errors === undefined ? gatewayRequest.recorder.freshUntilMs() : null;
    const trace = context.recorder?.trace(statesOf(subgraphs));
    const body = { errors, data, extensions: extensionsOf(trace, context.omissions.read()) };
    const complete = { status, type: operation.type, body, bytes: response.bytes };
    const isForAll = isForEveryone(caller, request.headers);
    return send.json(request, reply, { ...complete, caller: gatewayRequest, freshUntilMs, isForAll });
  }
}

function startRequest(
  id: string,
  callerId: string,
  { caller, rows }: { readonly caller: Caller; readonly rows: IncomingOperation['rows'] },
  { deadlineMs, maxCallsPerRequest, tracing }: GraphqlEndpointOptions,
): GatewayRequest {
  const { traced, credentials, traceparent } = caller;
  const span = tracing?.start('request', traceparent) ?? null;
  const allowance = createCallAllowance(maxCallsPerRequest);
  // The price of further pages is estimated from the calls of the first.
  const recordCalls = traced || rows?.allPages === true;
  return createGatewayRequest({ id, callerId, recordCalls, deadlineMs, credentials, allowance, span, traceparent });
}

/** Whether the error itself says what its caller may see. */
function isReported(error: unknown): error is RequestError | CodedError {
  return error instanceof RequestError || error instanceof CodedError;
}

function cancelWhenGone({ raw }: FastifyReply, gatewayRequest: GatewayRequest): void {
  raw.once('close', () => {
    if (!raw.writableFinished) gatewayRequest.cancel();
  });
}

function statesOf(subgraphs: Subgraphs): Trace['sources'] {
  return subgraphs.lastKnown().map(({ name, state }) => ({ name, state }));
}

/** The `extensions` of a response; undefined if empty. */
function extensionsOf(trace: Trace | undefined, omitted: OmittedErrors | undefined): object | undefined {
  if (trace === undefined && omitted === undefined) return undefined;
  return {
    ...(omitted !== undefined && { errorsOmitted: omitted.count }),
    ...(trace !== undefined && { passerelle: trace }),
  };
}
