import type { FastifyReply } from 'fastify';
import { createCallAllowance } from '../../kernel/operation.js';
import type { Trace } from '../../kernel/trace.js';
import { createOmissions, type OmittedErrors } from '../../runtime/errors.js';
import { freshTurn, isTurnSpent } from '../../runtime/event-loop/turns.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { planRows } from '../files/row-plan.js';
import { statusOf } from '../graph/graphql-server.js';
import { statusFor } from '../http/negotiation.js';
import { persistedHashOf } from '../http/parameters.js';
import { isRefusal } from '../http/request-error.js';
import type { WhyExecuted } from '../memory/memory.js';
import { cacheStatus, createGatewayRequest, type GatewayRequest } from '../request/request.js';
import { createPlanRecorder } from '../request/trace.js';
import { learnOperation } from './answer-from-memory.js';
import { type Caller, sharedUntil } from './caller.js';
import type { Endpoint } from './endpoint.js';
import { type IncomingOperation, methodOf, type RunningOperation } from './operation.js';
import { priceRequest, runDry, wantsDryRun } from './priced.js';
import { reportExecuted } from './report.js';
import { type Executed, rowsOf } from './rows.js';
import { sendJson, sendRows } from './send-response.js';

/** An admitted request that is executed: whose, and why it was not answered from memory. */
interface ExecutedRequest {
  readonly caller: Caller;
  readonly reason: WhyExecuted;
}

/** Prices and executes an operation, and sends its response. Rejects with a CodedError or RequestError if refused. */
export async function executeOperation(
  endpoint: Endpoint,
  reply: FastifyReply,
  operation: IncomingOperation,
  of: ExecutedRequest,
): Promise<FastifyReply> {
  const gatewayRequest = startRequest(endpoint, reply, operation, of.caller);
  try {
    const running = await planOperation(endpoint, reply, operation, { ...of, gatewayRequest });
    if (!wantsDryRun(endpoint.trace, reply.request.headers))
      return await sendExecuted(endpoint, reply, running, await run(endpoint, reply, running));
    const price = await runDry(endpoint, running);
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
  caller: Caller,
): GatewayRequest {
  const { traced, credentials, traceparent } = caller;
  const gatewayRequest = createGatewayRequest({
    id: request.id,
    callerId: callerLimits.callerIdOf(request.raw, caller),
    // The price of further pages is estimated from the calls of the first.
    recordCalls: traced || rows?.allPages === true,
    allowance: createCallAllowance(maxCallsPerRequest),
    span: tracing?.start('request', traceparent) ?? null,
    deadlineMs,
    credentials,
    traceparent,
  });
  raw.once('close', () => {
    if (!raw.writableFinished) gatewayRequest.cancel();
  });
  return gatewayRequest;
}

async function planOperation(
  { server }: Endpoint,
  { request }: FastifyReply,
  operation: IncomingOperation,
  of: ExecutedRequest & Pick<RunningOperation, 'gatewayRequest'>,
): Promise<RunningOperation> {
  const { rows, parameters } = operation;
  if (rows === null) return { request, operation, parameters, plan: null, ...of };
  const known = await server.withPersistedText(parameters);
  const plan = await planRows(known, rows, { schema: server.schema(), caller: of.gatewayRequest });
  // A query that is sent to be persisted is executed as it is.
  const isPersisting = known === parameters && persistedHashOf(parameters) !== undefined;
  const asked = isPersisting ? undefined : plan?.asking;
  return { request, operation, parameters: plan?.pages?.parametersAfter(null) ?? asked ?? parameters, plan, ...of };
}

async function run(endpoint: Endpoint, reply: FastifyReply, running: RunningOperation): Promise<Executed> {
  // Requests that arrive together start one after the other, and events come between them.
  if (isTurnSpent()) await freshTurn(running.gatewayRequest);
  const price = await priceRequest(endpoint, running);
  const { request, parameters, gatewayRequest, caller } = running;
  const recorder = caller.traced ? createPlanRecorder(gatewayRequest, endpoint.restoreText) : null;
  const context = { gatewayRequest, recorder, omissions: createOmissions(), resolved: price.resolved };
  const result = await endpoint.server.run(methodOf(request), parameters, context);
  gatewayRequest.finish();
  price.report(reply, result.errors === undefined);
  const { session } = caller;
  const response = session === null ? result : { ...result, errors: await session.settle(result.errors) };
  return { response, context, price };
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
  const { response, context, price } = executed;
  const { data, errors, bytes } = response;
  const rows = await rowsOf(endpoint, running, executed).finally(() => {
    // Returns nothing on purpose: a reply is a thenable that resolves when it has been sent.
    reply.headers(price.limits());
  });
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
  if (operation.rows === null) learnOperation(endpoint, running, response);
  const { stale } = gatewayRequest.recorder;
  if (stale !== null) reply.header('cache-status', cacheStatus(stale));
  if (rows !== null) return sendRows(endpoint, reply, rows, bytes);
  const trace = context.recorder?.trace(endpoint.subgraphs.lastKnown().map(({ name, state }) => ({ name, state })));
  const extensions = extensionsOf(trace, context.omissions.read());
  return sendJson(endpoint, reply, {
    status,
    type: operation.type,
    body: { errors, data, extensions },
    bytes,
    caller: gatewayRequest,
    freshUntilMs: errors === undefined ? sharedUntil(caller, headers, gatewayRequest.recorder.freshUntilMs()) : null,
  });
}

/** The `extensions` of a response; undefined if empty. */
function extensionsOf(trace: Trace | undefined, omitted: OmittedErrors | undefined): object | undefined {
  if (trace === undefined && omitted === undefined) return undefined;
  return {
    ...(omitted !== undefined && { errorsOmitted: omitted.count }),
    ...(trace !== undefined && { passerelle: trace }),
  };
}
