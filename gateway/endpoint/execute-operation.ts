import type { FastifyReply, FastifyRequest } from 'fastify';
import { createOmissions, type OmittedErrors } from '../../runtime/errors/error-list.js';
import { createCallAllowance } from '../../schema/call-allowance.js';
import type { Log } from '../../schema/log.js';
import type { Trace } from '../../schema/trace.js';
import type { Tracing } from '../../schema/tracing.js';
import type { WhyGeneral } from '../execution/direct/direct-executor.js';
import { statusOf } from '../execution/format-error.js';
import type { GraphqlResponse, GraphqlServer } from '../execution/graphql-server.js';
import { statusFor } from '../http/legacy-status.js';
import { cacheStatus } from '../request/cache-status.js';
import type { GatewayContext } from '../request/context.js';
import { createGatewayRequest, type GatewayRequest } from '../request/request.js';
import { createPlanRecorder } from '../request/trace.js';
import type { Subgraphs } from '../subgraphs/connect-subgraphs.js';
import type { ExportProgress } from '../web/export/export-progress.js';
import type { RowResponse } from '../web/export/row-file-response.js';
import { planRows, type RowPlan } from '../web/export/row-plan.js';
import { createAllPagesResponse, createRowResponse } from '../web/export/row-response.js';
import { type Caller, isForEveryone } from './caller.js';
import type { DirectEndpoint } from './direct.js';
import { furtherPages, toPageResponse } from './further-pages.js';
import { type IncomingOperation, isGet } from './operation-reader.js';
import type { IncomingRequest, PricedOptions, PricedRequest, PricedRequests } from './priced.js';
import { type RequestMetrics, reportResponse } from './request-report.js';
import type { ResponseSender } from './send-response.js';

/**
 * Executes an operation of a caller who was admitted. `way` says why it was not answered directly, and is undefined
 * where that was not tried. Rejects with a CodedError or RequestError for one that is refused.
 */
export type ExecuteOperation = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: IncomingOperation,
  sent: { readonly caller: Caller; readonly way: WhyGeneral | undefined },
) => Promise<FastifyReply>;

/** What operations are executed with. */
export interface ExecutionOptions extends PricedOptions {
  readonly server: GraphqlServer;
  readonly subgraphs: Subgraphs;
  readonly deadlineMs: number;
  readonly maxCallsPerRequest: number;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
  /** Replaces the planner's private names in a text by the client's. */
  restoreText(text: string): string;
}

/** The other parts of the endpoint that it needs. */
export interface ExecutionParts {
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

/** An operation that was executed. */
interface Executed {
  readonly response: GraphqlResponse;
  readonly context: GatewayContext;
  /** Null where prices are not known. */
  readonly price: PricedRequest | null;
}

/** The general way: prices and runs an operation, reports it, and sends its response, or the rows in it. */
export function createExecution(options: ExecutionOptions, parts: ExecutionParts): ExecuteOperation {
  const { server, subgraphs, callerLimits } = options;
  const { direct, send, prices } = parts;

  return async (request, reply, operation, { caller, way }) => {
    const { rows, parameters, type } = operation;
    const { credentials } = caller;
    const mark = callerLimits.markOf(request.raw, credentials);
    const gatewayRequest = startRequest(request.id, mark, { caller, rows }, options);
    cancelWhenGone(reply, gatewayRequest);
    try {
      const scope = { schema: server.schema(), caller: gatewayRequest };
      const plan = rows === null ? null : await planRows(parameters, rows, scope);
      const firstPage = plan?.pages?.parametersAfter(null) ?? parameters;
      const running = { operation, caller, way, plan, request, parameters: firstPage, gatewayRequest, credentials };
      if (!prices.isDryRun(request)) return await respond(reply, running, await run(reply, running));
      return await send.json(request, reply, { ...(await prices.dryRun(running, plan?.pages ?? null)), type });
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
    const { session } = caller;
    const response = session === null ? result : { ...result, errors: await session.settle(result.errors) };
    price?.report(reply, response.errors === undefined);
    return { response, context, price };
  }

  async function respond(reply: FastifyReply, running: Running, executed: Executed): Promise<FastifyReply> {
    const { request, operation, gatewayRequest, caller, way } = running;
    const { response, context, price } = executed;
    const { data, errors } = response;
    const rowResponse = await toRowResponse(running, executed, options).finally(() => {
      // Nothing is returned: the reply is a promise of its own end.
      reply.headers(price?.limits() ?? {});
    });
    const hasNoRows = operation.rows !== null && rowResponse === null && response.status === 200;
    const code = errors?.[0]?.extensions?.['code'];
    const status = hasNoRows ? statusOf(code) : statusFor(request.headers.accept, response.status, code);
    reportResponse(options, { ...response, status }, operation.parameters, { gatewayRequest, way });
    if (operation.rows === null) direct.learn(operation.parameters, response);
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
  mark: string,
  { caller, rows }: { readonly caller: Caller; readonly rows: IncomingOperation['rows'] },
  { deadlineMs, maxCallsPerRequest, tracing }: ExecutionOptions,
): GatewayRequest {
  const { traced, credentials, traceparent } = caller;
  const span = tracing?.start('request', traceparent) ?? null;
  const allowance = createCallAllowance(maxCallsPerRequest);
  // The price of further pages is estimated from the calls of the first.
  const recordCalls = traced || rows?.allPages === true;
  return createGatewayRequest({ id, mark, recordCalls, deadlineMs, credentials, allowance, span, traceparent });
}

/** The response as rows, with those of all further pages if requested; null if it has none, or none are requested. */
async function toRowResponse(
  { operation, caller, plan, credentials, gatewayRequest }: Running,
  { response, context, price }: Executed,
  { server, maxCallsPerRequest: maxCalls, log }: ExecutionOptions,
): Promise<RowResponse | null> {
  if (operation.rows === null) return null;
  const page = toPageResponse(response, context);
  const rows = { ...operation.rows, origin: operation.parameters };
  const pages = plan?.pages ?? null;
  if (pages === null) return createRowResponse(page, rows, plan, gatewayRequest);
  const { session } = caller;
  const { parametersAfter } = pages;
  const further = furtherPages({ server, gatewayRequest, credentials, session, price, maxCalls, parametersAfter });
  const ended = (soFar: ExportProgress) => {
    price?.end();
    log.info({ requestId: gatewayRequest.id, ...soFar }, 'pages sent as rows');
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
