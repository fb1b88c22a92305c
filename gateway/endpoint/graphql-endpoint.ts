import type { FastifyReply } from 'fastify';
import { type CodedError, ERRORS } from '../../kernel/errors.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { formatError } from '../graph/graphql-server.js';
import { chooseResponseType } from '../http/negotiation.js';
import { isRefusal, RequestError } from '../http/request-error.js';
import { MemoryRequest } from '../memory/memory.js';
import { type AdmittedRequest, answerFromMemory } from './answer-from-memory.js';
import { identify, sharedUntil } from './caller.js';
import type { Endpoint } from './endpoint.js';
import { executeOperation } from './execution.js';
import { type FastPath, receivedOf } from './fast-path.js';
import { type IncomingOperation, readOperation } from './operation.js';
import { wantsDryRun, wantsPrice } from './priced.js';
import { sendJson, sendWritten } from './send-response.js';

/*
 * The way of a GraphQL request, from its bytes to its report, with what each step returns.
 *
 *   bytes ─▶ fast path ─▶ sent        a body that was answered before: caller, memory, one write
 *              │ ReceivedRequest      everything else, with what was read of it
 *            router                   parses the body (`listener.ts`)
 *            readOperation            origin, parameters, safelist, form of the response
 *              │ IncomingOperation
 *            admit                    who sent it, and what they have left
 *            answerFromMemory         same body? whole response? texts?
 *              │ AdmittedRequest      its `answer` is a response, or why the operation has to be executed
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

/** Answers a request at `/graphql` that the fast path has not answered. */
export async function answerRequest(endpoint: Endpoint, fastPath: FastPath, reply: FastifyReply) {
  const { request } = reply;
  let isCounted = false;
  try {
    const operation = readOperation(endpoint, request);
    const { caller, limits, answer } = await admit(endpoint, fastPath, reply, operation);
    isCounted = true;
    reply.headers(limits);
    if (typeof answer === 'string')
      return await executeOperation(endpoint, reply, operation, { caller, reason: answer });
    const freshUntilMs = sharedUntil(caller, request.headers, answer.freshUntilMs);
    const { body, encoded } = answer;
    return await sendWritten(endpoint, reply, { type: operation.type, body: body.bytes(), encoded, freshUntilMs });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // One that is not admitted was counted too.
    return isCounted || error.code === 'TOO_MANY_REQUESTS'
      ? refuse(endpoint, reply, error)
      : refuseUnread(endpoint, reply, error);
  }
}

/** Rows and prices come only from an execution, never from a cached response. */
async function admit(
  endpoint: Endpoint,
  fastPath: FastPath,
  { request: { raw, id, headers } }: FastifyReply,
  { rows, parameters }: IncomingOperation,
): Promise<AdmittedRequest> {
  // A caller who may not request a dry run is refused before anything else.
  const isExecuted = rows !== null || wantsDryRun(endpoint.trace, headers) || wantsPrice(headers);
  const received = receivedOf(raw);
  if (received?.admitted) return received.admitted;
  const caller = await identify(endpoint, headers, id);
  const limits = await endpoint.callerLimits.admit(raw, caller);
  const request = new MemoryRequest(parameters);
  const answer = isExecuted ? 'report' : answerFromMemory(endpoint, request, { id, caller });
  if (received?.body && typeof answer !== 'string') fastPath.remember(received.body, request);
  return { caller, limits, answer };
}

/** Sends the error for a request that never became an operation. */
export function refuse(
  endpoint: Endpoint,
  reply: FastifyReply,
  error: RequestError | CodedError,
): Promise<FastifyReply> {
  const { id: requestId, headers } = reply.request;
  const { code, message } = error;
  const isOfHttp = error instanceof RequestError;
  const status = isOfHttp ? error.status : ERRORS[error.code].httpStatus;
  const operation = isOfHttp ? undefined : error.refused;
  endpoint.reportRefusal({ code, status, requestId, headers, ms: reply.elapsedTime, operation });
  if (isOfHttp) reply.headers(error.headers);
  const type = chooseResponseType(oneHeader(headers, 'accept')) ?? 'application/json';
  const extensions = { code, ...(!isOfHttp && error.extensions) };
  const body = { errors: [formatError({ message, extensions }, requestId)] };
  return sendJson(endpoint, reply, { status, type, body });
}

/** The same for a request that was not counted yet; it counts against its caller. */
export async function refuseUnread(
  endpoint: Endpoint,
  reply: FastifyReply,
  error: RequestError | CodedError,
): Promise<FastifyReply> {
  const tooMany = await endpoint.callerLimits.admitUnread(reply.request.raw).catch((refused: RequestError) => refused);
  return refuse(endpoint, reply, tooMany ?? error);
}
