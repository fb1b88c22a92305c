import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tracing } from '../../kernel/log.js';
import { createCallAllowance } from '../../kernel/operation.js';
import { createOmissions } from '../../runtime/errors.js';
import { planRows } from '../files/row-plan.js';
import type { GraphqlServer } from '../graph/graphql-server.js';
import { persistedHashOf } from '../http/parameters.js';
import { createGatewayRequest, type GatewayRequest } from '../request/request.js';
import { createPlanRecorder } from '../request/trace.js';
import type { Caller } from './caller.js';
import type { MemoryEndpoint } from './memory-endpoint.js';
import { type IncomingOperation, isGet } from './operation-reader.js';
import type { PricedOptions, PricedRequests } from './priced.js';
import { isReported } from './refusal.js';
import type { ExecutionReason } from './request-report.js';
import { createResponding, type RespondingOptions, type Running } from './responding.js';
import type { Executed } from './rows-of-response.js';
import type { ResponseSender } from './send-response.js';

/** What operations are executed on, and within which limits. */
export interface ExecutionOptions extends RespondingOptions, Pick<PricedOptions, 'callerLimits'> {
  readonly server: GraphqlServer;
  readonly deadlineMs: number;
  readonly maxCallsPerRequest: number;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  /** Replaces the planner's private names in a text with the client's. */
  restoreText(text: string): string;
}

/**
 * Executes an operation of an admitted caller. `reason` says why it was not answered from memory. Rejects with a CodedError or RequestError if the operation is refused.
 */
export type ExecuteOperation = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: IncomingOperation,
  sent: { readonly caller: Caller; readonly reason: ExecutionReason },
) => Promise<FastifyReply>;

/** What operations are executed with. */
export interface ExecutionParts {
  readonly memory: MemoryEndpoint;
  readonly send: ResponseSender;
  readonly prices: PricedRequests;
}

/** Creates what answers an operation that memory alone cannot: prices and executes it. */
export function createExecution(options: ExecutionOptions, parts: ExecutionParts): ExecuteOperation {
  const { server, callerLimits } = options;
  const { memory, send, prices } = parts;
  const responding = createResponding(options, send, memory.learn);

  return async (request, reply, operation, { caller, reason }) => {
    const { rows, parameters, type } = operation;
    const { credentials } = caller;
    const callerId = callerLimits.callerIdOf(request.raw, credentials);
    const gatewayRequest = startRequest(request.id, callerId, { caller, rows }, options);
    cancelWhenGone(reply, gatewayRequest);
    try {
      const scope = { schema: server.schema(), caller: gatewayRequest };
      const known = rows === null ? parameters : await server.withPersistedText(parameters);
      const plan = rows === null ? null : await planRows(known, rows, scope);
      // A query that is sent to be persisted is executed as it is.
      const isPersisting = known === parameters && persistedHashOf(parameters) !== undefined;
      const asking = isPersisting ? null : plan?.asking;
      const firstPage = plan?.pages?.parametersAfter(null) ?? asking ?? parameters;
      const running = { operation, caller, reason, plan, request, parameters: firstPage, gatewayRequest, credentials };
      if (!prices.isDryRun(request)) return await responding.executed(reply, running, await run(reply, running));
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
    const price = await prices.before(running);
    const { request, parameters, gatewayRequest, caller } = running;
    const recorder = caller.traced ? createPlanRecorder(gatewayRequest, options.restoreText) : null;
    const context = { gatewayRequest, recorder, omissions: createOmissions(), resolved: price.resolved };
    const result = await server.run(isGet(request) ? 'GET' : 'POST', parameters, context);
    gatewayRequest.finish();
    price.report(reply, result.errors === undefined);
    const { session } = caller;
    const response = session === null ? result : { ...result, errors: await session.settle(result.errors) };
    return { response, context, price };
  }
}

function startRequest(
  id: string,
  callerId: string,
  { caller, rows }: Pick<Running, 'caller'> & Pick<IncomingOperation, 'rows'>,
  { deadlineMs, maxCallsPerRequest, tracing }: ExecutionOptions,
): GatewayRequest {
  const { traced, credentials, traceparent } = caller;
  const span = tracing?.start('request', traceparent) ?? null;
  const allowance = createCallAllowance(maxCallsPerRequest);
  // The price of further pages is estimated from the calls of the first.
  const recordCalls = traced || rows?.allPages === true;
  const own = { id, callerId, recordCalls, deadlineMs, credentials, allowance };
  return createGatewayRequest({ ...own, span, traceparent });
}

function cancelWhenGone({ raw }: FastifyReply, gatewayRequest: GatewayRequest): void {
  raw.once('close', () => {
    if (!raw.writableFinished) gatewayRequest.cancel();
  });
}
