import type { FastifyReply, FastifyRequest } from 'fastify';
import { CodedError, ERRORS } from '../../kernel/errors.js';
import { type Log, traceIdOf } from '../../kernel/log.js';
import { oneHeader, readTraceparent } from '../../runtime/http/request-headers.js';
import { formatError } from '../graph/graphql-server.js';
import { chooseResponseType } from '../http/negotiation.js';
import { type RefusedRequest, RequestError } from '../http/request-error.js';
import { createBoundedLines } from './bounded-lines.js';
import type { RequestMetrics } from './request-report.js';
import type { ResponseSender } from './send-response.js';

/** Counts and logs a request that was refused. */
export type RefusalReport = (refused: RefusedRequest) => void;

/** Creates the report; the log lines of each kind are bounded. */
export function createRefusalReport({
  log,
  metrics,
}: {
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
}): RefusalReport {
  const lines = createBoundedLines(log);
  return ({ code, status, requestId, headers, ms }) => {
    metrics?.request({ status, ms });
    const traceId = traceIdOf(readTraceparent(headers));
    // Codes are ours, and few.
    lines.info(`${status} ${code}`, { requestId, traceId, status, codes: [code] }, 'request refused');
  };
}

/** Sends the error for a request that never became an operation. */
export function createRefusal(report: RefusalReport, send: ResponseSender) {
  return (error: RequestError | CodedError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const status = error instanceof RequestError ? error.status : ERRORS[error.code].httpStatus;
    const { id: requestId, headers } = request;
    report({ code: error.code, status, requestId, headers, ms: reply.elapsedTime });
    if (error instanceof RequestError) reply.headers(error.headers);
    const type = chooseResponseType(oneHeader(headers, 'accept')) ?? 'application/json';
    const { code, message } = error;
    const extensions = { code, ...(error instanceof CodedError && error.extensions) };
    return send.json(request, reply, {
      status,
      type,
      body: { errors: [formatError({ message, extensions }, requestId)] },
    });
  };
}

/** Whether the error itself says what its caller may see. */
export function isReported(error: unknown): error is RequestError | CodedError {
  return error instanceof RequestError || error instanceof CodedError;
}
