import type { FastifyReply, FastifyRequest } from 'fastify';
import { readTraceparent } from '../../runtime/http/request-headers.js';
import { type CodedError, ERRORS } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import { traceIdOf } from '../../schema/tracing.js';
import { chooseResponseType } from '../http/negotiation.js';
import { RequestError } from '../http/request-error.js';
import { createBoundedLines } from './bounded-lines.js';
import type { RequestMetrics } from './request-report.js';
import type { ResponseSender } from './send-response.js';

/** Sends the error of a request that never became an operation; it is counted and logged. */
export function createRefusal(
  { log, metrics }: { readonly log: Log; readonly metrics: RequestMetrics | null },
  send: ResponseSender,
) {
  const lines = createBoundedLines(log);
  return (error: RequestError | CodedError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const status = error instanceof RequestError ? error.status : ERRORS[error.code].httpStatus;
    const formatted = { message: error.message, extensions: { code: error.code, requestId: request.id } };
    metrics?.request({ status, ms: reply.elapsedTime });
    const traceId = traceIdOf(readTraceparent(request.headers));
    // Codes are ours, and few.
    lines.info(
      `${status} ${error.code}`,
      { requestId: request.id, traceId, status, codes: [error.code] },
      'request refused',
    );
    if (error instanceof RequestError) reply.headers(error.headers);
    const type = chooseResponseType(request.headers.accept) ?? 'application/json';
    return send.json(request, reply, { status, type, body: { errors: [formatted] } });
  };
}
