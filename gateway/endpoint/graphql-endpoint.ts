import type { FastifyReply } from 'fastify';
import { isPromise } from '../../kernel/awaitable.js';
import { type CodedError, ERRORS } from '../../kernel/errors.js';
import { type CallBudget, createCallAllowance } from '../../kernel/operation.js';
import type { Staleness, Trace } from '../../kernel/trace.js';
import type { JsonObject } from '../../rows/path.js';
import { createOmissions, type OmittedErrors } from '../../runtime/errors.js';
import { isTurnSpent, laterTurn } from '../../runtime/event-loop/turns.js';
import { chooseResponseType, statusFor } from '../../runtime/http/negotiation.js';
import { type GraphqlParameters, persistedHashOf } from '../../runtime/http/parameters.js';
import { isRefusal, RequestError } from '../../runtime/http/request-error.js';
import { oneHeader, readTraceContext } from '../../runtime/http/request-headers.js';
import { admittedOf } from '../callers/connection-guard.js';
import type { FileProgress, RowResponse } from '../files/row-file.js';
import { type PagePlan, planRows } from '../files/row-plan.js';
import type { RowRequest } from '../files/row-request.js';
import { type AllPages, allPagesResponse, type PageResponse, rowResponse } from '../files/row-response.js';
import { formatError, type GraphqlResponse, statusOf } from '../graph/graphql-server.js';
import { MemoryRequest, type MemoryResponse } from '../memory/memory.js';
import { callsOfFurther } from '../price/field-prices.js';
import { cacheStatus, type GatewayContext, GatewayRequest, quotasLeft } from '../request/request.js';
import type { Endpoint } from './endpoint.js';
import { type FastPath, receivedBody } from './fast-path.js';
import {
  answerDryRun,
  callHeaders,
  estimatedCalls,
  type IncomingOperation,
  methodOf,
  type RunningOperation,
  readOperation,
  sharedUntil,
  wantsCalls,
  wantsDryRun,
  wantsPrice,
} from './operation.js';
import { outcomeOf, reportExecuted, reportFromMemory } from './report.js';
import { factHeaders, responseHeaders, sendJson, sendRows, sendWritten } from './send-response.js';

/*
 * The way of a GraphQL request, from its bytes to its report, with what each step returns.
 *
 *   bytes
 *            guard                    who sent it, and what they have left; `Host`, headers, parameters
 *              │ AdmittedRequest
 *            fast path ─▶ sent        a body that memory has answered before: one write
 *              │ receivedBody         everything else, with what was read of it
 *            router                   parses the body (`listener.ts`)
 *            readOperation            origin, parameters, safelist, form of the response
 *              │ IncomingOperation
 *            memory.answer            the whole response, if it is still valid, or why the operation has to be executed
 *              ├─ sendWritten ─▶ sent
 *            executeOperation         plans rows, prices; a dry run ends here
 *              │ RunningOperation
 *            run                      graphql-js over the schema of this process, or @apollo/gateway
 *              │ Executed
 *            rowsOf                   the rows in it, and the further pages of their list
 *            reportExecuted           one line of the log, the metrics, the span
 *            sendJson, sendRows ─▶ sent
 *
 * What cannot be executed leaves by `refuse`; errors of an execution are part of its response.
 */

/** Answers a request at `/graphql` that the fast path has not answered. Rejects with a RequestError or CodedError. */
export async function answerRequest(endpoint: Endpoint, fastPath: FastPath, reply: FastifyReply) {
  const { raw, id, headers } = reply.request;
  const { caller, limits } = admittedOf(raw) ?? unadmitted();
  reply.headers(limits);
  const operation = readOperation(endpoint, reply.request);
  // A caller who may not request a dry run is refused before anything else. Memory has no rows, prices or traces.
  const isReport = operation.rows !== null || wantsDryRun(endpoint.trace, headers) || wantsPrice(headers);
  const memoryRequest = new MemoryRequest(operation.parameters);
  const answer = isReport || caller.traced ? 'report' : endpoint.memory.answer(memoryRequest, caller.credentials);
  if (typeof answer === 'string')
    return executeOperation(endpoint, reply, operation, { caller, reason: answer, memoryRequest });
  const { traceparent } = caller;
  reportFromMemory(endpoint, operation.parameters, answer, { id, traceparent, ms: reply.elapsedTime });
  const received = receivedBody(raw);
  if (received) fastPath.remember(received, memoryRequest);
  reply.headers(factHeaders(answer.operation));
  const { body, encoded, storedMs } = answer;
  const freshUntilMs = sharedUntil(caller, headers, answer.freshUntilMs);
  return sendWritten(endpoint, reply, { body, encoded, type: operation.type, freshUntilMs, storedMs });
}

function unadmitted(): never {
  throw new Error('This request has not passed the guard of its server.');
}

/** Sends the error for a request that never became an operation. */
export function refuse(
  endpoint: Endpoint,
  reply: FastifyReply,
  error: RequestError | CodedError,
): Promise<FastifyReply> {
  const { id: requestId, headers } = reply.request;
  const { status, headers: told, body } = refusalOf(error, requestId);
  const operation = error instanceof RequestError ? undefined : error.refused;
  endpoint.reportRefusal({ code: error.code, status, requestId, headers, ms: reply.elapsedTime, operation });
  reply.headers(told);
  const type = chooseResponseType(oneHeader(headers, 'accept')) ?? 'application/json';
  return sendJson(endpoint, reply, { status, type, body });
}

/** Status, headers and body of a refusal. */
export function refusalOf(error: RequestError | CodedError, requestId: string) {
  const { code, message } = error;
  const isOfHttp = error instanceof RequestError;
  const extensions = { code, ...(!isOfHttp && error.extensions) };
  return {
    status: isOfHttp ? error.status : ERRORS[error.code].httpStatus,
    headers: isOfHttp ? error.headers : {},
    body: { errors: [formatError({ message, extensions }, requestId)] },
  };
}

/** An admitted request that is executed: whose, and why it was not answered from memory. */
type ExecutedRequest = Pick<RunningOperation, 'caller' | 'reason' | 'memoryRequest'>;

/** Prices and executes an operation, and sends its response. Rejects with a CodedError or RequestError if refused. */
async function executeOperation(
  endpoint: Endpoint,
  reply: FastifyReply,
  operation: IncomingOperation,
  of: ExecutedRequest,
): Promise<FastifyReply> {
  const { request } = reply;
  const { parameters } = operation;
  const { caller, reason, memoryRequest } = of;
  const versions = endpoint.memory.versions(caller.credentials);
  const counted = endpoint.callerLimits.budget(request.raw, caller);
  const budget = isPromise(counted) ? await counted : counted;
  const gatewayRequest = startRequest(endpoint, reply, operation, { caller, budget });
  try {
    const admitted = { caller, reason, memoryRequest, versions, budget };
    const whole: RunningOperation = { request, operation, parameters, plan: null, gatewayRequest, ...admitted };
    const running = operation.rows === null ? whole : await planOperation(endpoint, whole, operation.rows);
    // Whether a file would be refused is known now; nothing else is worth a search for its headers alone.
    if (reply.request.method === 'HEAD' && operation.rows !== null)
      return await reply.headers(responseHeaders(endpoint, reply.request)).type(operation.rows.format.mediaType).send();
    if (!wantsDryRun(endpoint.trace, reply.request.headers))
      return await sendExecuted(endpoint, reply, running, await run(endpoint, reply, running));
    const price = await answerDryRun(endpoint, running);
    const attributes = { 'http.response.status_code': price.status, 'passerelle.way': 'dry-run' };
    gatewayRequest.span?.end(attributes, price.code);
    return await sendJson(endpoint, reply, { ...price, type: operation.type });
  } catch (error) {
    // A refusal on the way is recorded in the trace too.
    gatewayRequest.span?.end({}, isRefusal(error) ? error.code : 'INTERNAL');
    throw error;
  } finally {
    gatewayRequest.finish();
  }
}

/** Starts the deadline of a request, which is cancelled when its client disconnects. */
function startRequest(
  { callerLimits, requestDeadlineMs: deadlineMs, maxCallsPerRequest, tracing }: Endpoint,
  { request, raw }: FastifyReply,
  { rows }: IncomingOperation,
  { caller, budget }: Pick<RunningOperation, 'caller' | 'budget'>,
): GatewayRequest {
  const { traced, credentials, traceparent } = caller;
  const gatewayRequest = new GatewayRequest({
    id: request.id,
    callerId: callerLimits.callerIdOf(request.raw, caller),
    // The price of further pages is estimated from the calls of the first.
    recordCalls: traced || rows?.allPages === true,
    allowance: createCallAllowance(maxCallsPerRequest, budget),
    span: tracing?.start('request', readTraceContext(request.headers)) ?? null,
    deadlineMs,
    credentials,
    traceparent,
  });
  raw.once('close', () => {
    if (!raw.writableFinished) gatewayRequest.cancel();
  });
  return gatewayRequest;
}

/** The same operation as it is executed for rows of it. */
async function planOperation(
  { server }: Endpoint,
  whole: RunningOperation,
  rows: RowRequest,
): Promise<RunningOperation> {
  const { parameters } = whole;
  const known = await server.withPersistedText(parameters);
  const plan = await planRows(known, rows, server.schema());
  // A query that is sent to be persisted is executed as it is.
  const isPersisting = known === parameters && persistedHashOf(parameters) !== undefined;
  const asked = isPersisting ? undefined : plan?.asking;
  return { ...whole, parameters: plan?.pages?.parametersAfter(null) ?? asked ?? parameters, plan };
}

async function run(endpoint: Endpoint, reply: FastifyReply, running: RunningOperation): Promise<Executed> {
  const { request, parameters, gatewayRequest, caller, budget } = running;
  // Requests that arrive together start one after the other, and events come between them.
  if (isTurnSpent()) await laterTurn(gatewayRequest.callerId);
  const estimated = wantsCalls(request.headers) ? await estimatedCalls(endpoint, running) : null;
  const context = { gatewayRequest, traced: caller.traced, omissions: createOmissions() };
  const result = await endpoint.server.run(methodOf(request), parameters, context);
  gatewayRequest.finish();
  endpoint.callerLimits.confirm(caller.credentials, gatewayRequest.recorder.tookKeyOf);
  const { callsMade: made } = gatewayRequest.recorder.totals();
  if (estimated !== null) {
    endpoint.metrics?.calls({ estimated, made });
    reply.headers(callHeaders(estimated, made));
  }
  if (budget !== null) reply.headers(budget.headers());
  const { session } = caller;
  const response = session === null ? result : { ...result, errors: await session.settle(result.errors) };
  return { response: budget?.left() === 0 ? refusedWhole(response, gatewayRequest.id, budget) : response, context };
}

/** The response; or a refusal where its caller had no calls left, and nothing of it was cached. */
function refusedWhole(response: GraphqlResponse, requestId: string, budget: CallBudget): GraphqlResponse {
  const isCut = response.errors?.every(({ extensions }) => extensions?.['code'] === 'COST_EXCEEDED') === true;
  if (!isCut || outcomeOf(response) !== 'refused') return response;
  const message = `A caller may make ${budget.limit} upstream calls a minute, and this operation would take more than are left.`;
  const extensions = { code: 'TOO_MANY_REQUESTS', retryAfterSeconds: budget.resetSeconds() };
  return { status: 429, errors: [formatError({ message, extensions }, requestId)], bytes: 0 };
}

/** Reports an executed operation, and sends its response or the rows in it. */
async function sendExecuted(
  endpoint: Endpoint,
  reply: FastifyReply,
  running: RunningOperation,
  executed: Executed,
): Promise<FastifyReply> {
  const { operation, gatewayRequest, caller } = running;
  const { headers } = reply.request;
  const { response, context } = executed;
  const { data, errors, bytes } = response;
  const rows = await rowsOf(endpoint, running, executed);
  const hasNoRows = operation.rows !== null && rows === null && response.status === 200;
  const code = errors?.[0]?.extensions?.['code'];
  const status = hasNoRows ? statusOf(code) : statusFor(oneHeader(headers, 'accept'), response.status, code);
  const { way } = endpoint;
  reportExecuted(
    endpoint,
    operation.parameters,
    { status, data, errors },
    { gatewayRequest, way, reason: running.reason },
  );
  const { recorder } = gatewayRequest;
  const { stale } = recorder;
  const storedMs = recorder.storedMs();
  reply.headers(factHeaders(gatewayRequest.operation));
  if (stale !== null) reply.header('cache-status', cacheStatus(stale));
  if (rows !== null) return sendRows(endpoint, reply, { ...rows, storedMs }, bytes);
  const sources = caller.traced ? endpoint.subgraphs.lastKnown().map(({ name, state }) => ({ name, state })) : null;
  const trace = sources === null ? undefined : recorder.trace(gatewayRequest.id, sources);
  const extensions = extensionsOf(trace, context.omissions.read(), stale);
  const freshUntilMs = errors === undefined ? sharedUntil(caller, headers, recorder.freshUntilMs()) : null;
  const { type } = operation;
  const learned = learnOperation(endpoint, running, response);
  if (learned !== null && extensions === undefined) {
    const { body, encoded } = learned;
    return sendWritten(endpoint, reply, { body, encoded, type, freshUntilMs, storedMs });
  }
  const body = { errors, data, extensions };
  return sendJson(endpoint, reply, { status, type, body, freshUntilMs, storedMs });
}

/** What memory has of an operation from now on; null of one with errors, or that nobody may have again. */
function learnOperation(
  { memory }: Endpoint,
  { memoryRequest, versions, caller: { credentials }, gatewayRequest }: RunningOperation,
  { status, data, errors, bytes }: GraphqlResponse,
): MemoryResponse | null {
  const { operation, recorder } = gatewayRequest;
  if (status !== 200 || !data || errors !== undefined || operation === null) return null;
  return memory.learn(memoryRequest, { credentials, versions }, { operation, data, bytes, recorder });
}

/** The `extensions` of a response; undefined if empty. */
function extensionsOf(
  trace: Trace | undefined,
  omitted: OmittedErrors | undefined,
  stale: Staleness | null,
): object | undefined {
  if (trace === undefined && omitted === undefined && stale === null) return undefined;
  return {
    ...(stale !== null && { stale }),
    ...(omitted !== undefined && { errorsOmitted: omitted.count }),
    ...(trace !== undefined && { passerelle: trace }),
  };
}

/** An operation that was executed. */
interface Executed {
  readonly response: GraphqlResponse;
  readonly context: GatewayContext;
}

/**
 * The response as rows, followed by those of all further pages if requested; null if it has no rows, or none are
 * requested. Rejects with a CodedError for rows that no response has, and for pages that cost too much.
 */
async function rowsOf(endpoint: Endpoint, running: RunningOperation, executed: Executed): Promise<RowResponse | null> {
  const { operation, plan, gatewayRequest } = running;
  if (operation.rows === null) return null;
  const page = pageOf(executed.response, executed.context);
  const rows = { ...operation.rows, provenance: operation.parameters };
  const pages = plan?.pages ?? null;
  if (pages === null) return rowResponse(page, rows, plan, gatewayRequest);
  const ended = (soFar: FileProgress) => {
    running.budget?.end();
    endpoint.log.info({ requestId: gatewayRequest.id, ...soFar }, 'pages sent as rows');
  };
  const further = furtherPages(endpoint, running, pages);
  return allPagesResponse(page, rows, pages, { ...further, ended });
}

/**
 * Fetches the further pages of one client request. Each page is a request of its own within the same deadline and the
 * same call allowance, so its loaders are freed with it. When the client disconnects, the current page is cancelled.
 */
function furtherPages(
  endpoint: Endpoint,
  { gatewayRequest, caller: { credentials, session }, budget }: RunningOperation,
  plan: PagePlan,
): Omit<AllPages, 'ended'> {
  const { server, prices, maxCallsPerRequest } = endpoint;
  const { id, callerId, allowance, remainingMs } = gatewayRequest;

  async function fetchPage(parameters: GraphqlParameters): Promise<PageResponse> {
    const own = { deadlineMs: remainingMs(), credentials, allowance, recordCalls: true };
    const page = new GatewayRequest({ id, callerId, ...own });
    const release = gatewayRequest.onCutoff(() => page.cancel());
    const context = { gatewayRequest: page, traced: false, omissions: createOmissions() };
    const response = await server.run('POST', parameters, context);
    release();
    page.finish();
    const errors = session === null ? response.errors : await session.settle(response.errors);
    return pageOf({ ...response, errors }, context);
  }

  return {
    caller: gatewayRequest,
    maxCalls: maxCallsPerRequest,
    callsOfCaller: budget,
    fetchAfter: (cursor) => fetchPage(plan.parametersAfter(cursor)),
    callsOfList: (size, rows) => callsOfFurther(prices, plan.field, { size, rows }),
    quotas: () => quotasLeft(server, gatewayRequest),
  };
}

/** A response in the form that the export reads. */
function pageOf({ data, errors = [] }: GraphqlResponse, { gatewayRequest, omissions }: GatewayContext): PageResponse {
  const { recorder } = gatewayRequest;
  return {
    // The data of a response is JSON.
    data: (data ?? null) as JsonObject | null,
    errors,
    errorCount: errors.length + (omissions.read()?.count ?? 0),
    calls: recorder.calls,
    services: recorder.services,
    stored: recorder.stored,
    callsMade: recorder.totals().callsMade,
  };
}
