import type { FastifyReply } from 'fastify';
import type { Trace } from '../../kernel/trace.js';
import type { OmittedErrors } from '../../runtime/errors.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import type { RowPlan } from '../files/row-plan.js';
import { statusOf } from '../graph/graphql-server.js';
import { statusFor } from '../http/negotiation.js';
import type { Subgraphs } from '../remote/subgraphs.js';
import { cacheStatus } from '../request/request.js';
import { type Caller, isForEveryone } from './caller.js';
import type { MemoryEndpoint } from './memory-endpoint.js';
import type { IncomingOperation } from './operation-reader.js';
import type { IncomingRequest } from './priced.js';
import { type ExecutedWay, type ExecutionReason, type Report, reportResponse } from './request-report.js';
import { type Executed, type RowOptions, rowsOf } from './rows-of-response.js';
import type { ResponseSender } from './send-response.js';

/** An operation that is being executed. */
export interface Running extends IncomingRequest {
  readonly operation: IncomingOperation;
  readonly caller: Caller;
  readonly reason: ExecutionReason;
  readonly plan: RowPlan | null;
}

/** What responses are reported and sent with. */
export interface RespondingOptions extends Report, RowOptions {
  readonly subgraphs: Subgraphs;
  /** How operations are executed: on the schema of this process, or on remote subgraphs. */
  readonly way: ExecutedWay;
}

/** Reports what an operation was answered with, and sends it. */
export interface Responding {
  /** Sends an executed operation's response, or the rows in it. */
  executed(reply: FastifyReply, running: Running, executed: Executed): Promise<FastifyReply>;
}

/** Creates it over what sends responses, and what learns operations. */
export function createResponding(
  options: RespondingOptions,
  send: ResponseSender,
  learn: MemoryEndpoint['learn'],
): Responding {
  async function executed(reply: FastifyReply, running: Running, result: Executed): Promise<FastifyReply> {
    const { request, operation, gatewayRequest, caller, reason } = running;
    const { response, context, price } = result;
    const { data, errors } = response;
    const rowResponse = await rowsOf(running, result, options).finally(() => {
      // Returns nothing on purpose: a reply is a thenable that resolves when it has been sent.
      reply.headers(price.limits());
    });
    const hasNoRows = operation.rows !== null && rowResponse === null && response.status === 200;
    const code = errors?.[0]?.extensions?.['code'];
    const status = hasNoRows ? statusOf(code) : statusFor(oneHeader(request.headers, 'accept'), response.status, code);
    reportResponse(options, { ...response, status }, operation.parameters, {
      gatewayRequest,
      way: options.way,
      reason,
    });
    if (operation.rows === null) learn(operation.parameters, response, running);
    const { stale } = gatewayRequest.recorder;
    if (stale !== null) reply.header('cache-status', cacheStatus(stale));
    if (rowResponse !== null) return send.rows(request, reply, rowResponse, response.bytes);
    const freshUntilMs = errors === undefined ? gatewayRequest.recorder.freshUntilMs() : null;
    const trace = context.recorder?.trace(statesOf(options.subgraphs));
    const body = { errors, data, extensions: extensionsOf(trace, context.omissions.read()) };
    const complete = { status, type: operation.type, body, bytes: response.bytes };
    const isForAll = isForEveryone(caller, request.headers);
    return send.json(request, reply, { ...complete, caller: gatewayRequest, freshUntilMs, isForAll });
  }

  return { executed };
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
