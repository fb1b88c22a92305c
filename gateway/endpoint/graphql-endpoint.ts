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
import type { CallerLimits } from '../callers/caller-limits.js';
import type { DirectExecutor, WhyGeneral } from '../execution/direct/direct-executor.js';
import { statusOf } from '../execution/format-error.js';
import type { GraphqlServer } from '../execution/graphql-server.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { statusFor } from '../http/legacy-status.js';
import type { GraphqlParameters } from '../http/parameters.js';
import { RequestError } from '../http/request-error.js';
import type { SafelistPolicy } from '../limits/safelist.js';
import type { Pricing } from '../price/pricing.js';
import { cacheStatus } from '../request/cache-status.js';
import { createGatewayRequest, type GatewayRequest, type GatewayRequestOptions } from '../request/request.js';
import { createPlanRecorder, type TracePolicy } from '../request/trace.js';
import type { Subgraphs } from '../subgraphs/connect-subgraphs.js';
import type { PageResponse, PagesSoFar } from '../web/export/follow-pages.js';
import type { RowResponse } from '../web/export/row-file-response.js';
import type { RowPlan } from '../web/export/row-plan.js';
import type { RowRequest } from '../web/export/row-request.js';
import { createAllPagesResponse, createRowResponse } from '../web/export/row-response.js';
import { type Caller, createIdentification, isForEveryone } from './caller.js';
import { createDirectEndpoint, type DirectEndpoint } from './direct.js';
import type { FastPath } from './fast-path.js';
import { furtherPages, toPageResponse } from './further-pages.js';
import { createOperationReader, type IncomingOperation, isGet } from './operation-reader.js';
import { createPricedRequests, type PricedRequest, type PricedRequests } from './priced.js';
import { createRefusal, type RefusalReport } from './refusal.js';
import { type RequestMetrics, reportResponse } from './request-report.js';
import { createResponseHeaders } from './response-headers.js';
import { createResponseSender, type ResponseSender } from './send-response.js';

/** What the endpoint is made from. */
export interface GraphqlEndpointOptions {
  readonly server: GraphqlServer;
  /** Null for a foreign supergraph, whose prices are not known. */
  readonly pricing: Pricing | null;
  readonly callerLimits: CallerLimits;
  readonly reportRefusal: RefusalReport;
  /** Null for a foreign supergraph. */
  readonly direct: DirectExecutor | null;
  readonly subgraphs: Subgraphs;
  /** Null if logging in is not configured. */
  readonly identity: Identity | null;
  readonly crossOrigin: CrossOrigin;
  readonly mintCredential: MintCredential;
  readonly deadlineMs: number;
  readonly maxCallsPerRequest: number;
  readonly trace: TracePolicy;
  readonly safelist: SafelistPolicy | null;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  readonly watchCache: WatchCache;
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
  /** Replaces the planner's private names in a text by the client's. */
  restoreText(text: string): string;
}

/** Answers GraphQL over HTTP. */
export interface GraphqlEndpoint {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Answers before the router does; null where nothing is answered from the cache. */
  readonly fastPath: FastPath | null;
  /** Sends the error of a request that never became an operation. */
  refuse(error: RequestError | CodedError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  /** Does so for a request whose body could not be read, which counts for its caller. */
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
  const execute = createGeneralWay(options, { direct, send, prices });
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
      if (error instanceof RequestError || error instanceof CodedError) return refuse(error, request, reply);
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
 * Executes an operation of a caller. `way` says why it was not answered directly, and is undefined where that was not
 * tried. Rejects with a CodedError or RequestError for one that is refused.
 */
type ExecuteOperation = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: IncomingOperation,
  sent: { readonly caller: Caller; readonly way: WhyGeneral | undefined },
) => Promise<FastifyReply>;

/** The general way: prices and runs an operation, reports it, and sends its response, or the rows in it. */
function createGeneralWay(
  options: GraphqlEndpointOptions,
  { direct, send, prices }: { direct: DirectEndpoint; send: ResponseSender; prices: PricedRequests },
): ExecuteOperation {
  const { server, subgraphs, callerLimits } = options;
  return async (request, reply, { rows, type, parameters, plan }, { caller: identified, way }) => {
    const { traced, session, credentials } = identified;
    const isForAll = isForEveryone(identified, request.headers);
    const callerId = callerLimits.callerIdOf(request.raw, credentials);
    const own = { id: request.id, callerId, recordCalls: traced || plan?.pages != null };
    const gatewayRequest = startRequest(own, identified, options);
    cancelWhenGone(reply, gatewayRequest);
    const recorder = traced ? createPlanRecorder(gatewayRequest, options.restoreText) : null;
    const firstPage = plan?.pages?.parametersAfter(null) ?? parameters;
    const incoming = { request, parameters: firstPage, gatewayRequest, credentials };
    if (prices.isDryRun(request))
      return send.json(request, reply, { ...(await prices.dryRun(incoming, plan?.pages ?? null)), type });
    const omissions = createOmissions();
    const price = await prices.before(incoming, reply);
    const state = { ...identified, gatewayRequest, parameters, price };
    const context = { gatewayRequest, recorder, omissions, ...price };
    const result = await server.run(isGet(request) ? 'GET' : 'POST', firstPage, context);
    gatewayRequest.finish();
    const response = session === null ? result : { ...result, errors: await session.settle(result.errors) };
    const { data, errors } = response;
    const rowResponse =
      rows === null ? null : await toRowResponse(toPageResponse(response, context), { rows, plan }, state, options);
    const hasNoRows = rows !== null && rowResponse === null && response.status === 200;
    const code = errors?.[0]?.extensions?.['code'];
    const status = hasNoRows ? statusOf(code) : statusFor(request.headers.accept, response.status, code);
    price?.report(errors === undefined);
    reportResponse(options, { ...response, status }, parameters, { gatewayRequest, way });
    if (rows === null) direct.learn(parameters, response, { credentials, gatewayRequest });
    const { stale } = gatewayRequest.recorder;
    if (stale !== null) reply.header('cache-status', cacheStatus(stale));
    if (rowResponse !== null) return send.rows(request, reply, rowResponse, response.bytes);
    const freshUntilMs = errors === undefined ? gatewayRequest.recorder.freshUntilMs() : null;
    const body = { errors, data, extensions: extensionsOf(recorder?.trace(statesOf(subgraphs)), omissions.read()) };
    const complete = { status, type, body, bytes: response.bytes };
    return send.json(request, reply, { ...complete, caller: gatewayRequest, freshUntilMs, isForAll });
  };
}

function startRequest(
  own: Pick<GatewayRequestOptions, 'id' | 'callerId' | 'recordCalls'>,
  { credentials, traceparent }: Caller,
  { deadlineMs, maxCallsPerRequest, tracing }: GraphqlEndpointOptions,
): GatewayRequest {
  const span = tracing?.start('request', traceparent) ?? null;
  const allowance = createCallAllowance(maxCallsPerRequest);
  return createGatewayRequest({ ...own, deadlineMs, credentials, allowance, span, traceparent });
}

interface RequestState extends Caller {
  readonly gatewayRequest: GatewayRequest;
  readonly parameters: GraphqlParameters;
  readonly price: PricedRequest | null;
}

/** The response as rows, with those of all further pages if requested; null if it has none. */
async function toRowResponse(
  page: PageResponse,
  { rows: requested, plan }: { readonly rows: RowRequest; readonly plan: RowPlan | null },
  state: RequestState,
  { server, maxCallsPerRequest: maxCalls, log }: GraphqlEndpointOptions,
): Promise<RowResponse | null> {
  const rows = { ...requested, origin: state.parameters };
  const pages = plan?.pages ?? null;
  if (pages === null) return createRowResponse(page, rows, plan, state.gatewayRequest);
  const further = furtherPages({ server, ...state, maxCalls, parametersAfter: pages.parametersAfter });
  const ended = (soFar: PagesSoFar) => {
    state.price?.spent(soFar.callsMade - page.callsMade);
    log.info({ requestId: state.gatewayRequest.id, ...soFar }, 'pages sent as rows');
  };
  return createAllPagesResponse(page, rows, pages, { ...further, ended });
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
