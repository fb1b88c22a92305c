import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Issue } from '../values/issues.js';

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
  419: 'Too Many Requests',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Time-out',
};

function reason(status: number): string {
  return REASONS[status] ?? 'Error';
}

/** Envelope A, of the API itself: has `name`; from 500 on, one constant message without data (work-study 5.1). */
export function sendApiError(reply: FastifyReply, status: number, message: string, data?: unknown): FastifyReply {
  const name = reason(status);
  const masked = { statusCode: status, name, message: 'The server was unable to complete your request' };
  return reply.code(status).send(status >= 500 ? masked : { statusCode: status, name, message, data });
}

/** Envelope A for a body that the framework does not accept (work-study 5.1). */
export function refuseBody(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, statusCode = 400, message } = error;
  return sendApiError(reply, statusCode, message, { rawError: { code, statusCode, message } });
}

/** Envelope A for an input that an API-owned route found invalid (work-study 5.1). */
export function sendApiValidationError(reply: FastifyReply, issues: readonly Issue[]): FastifyReply {
  const validationError = issues.map(({ code, path, message, details }) => ({
    keyword: code,
    instancePath: `/${path.join('/')}`,
    schemaPath: `#/${[...path, code].join('/')}`,
    message,
    params: details,
  }));
  return sendApiError(reply, 400, 'Request validation failed', { validationError });
}

/** Envelope B, forwarded from the backend: `error` instead of `name`, messages never masked (work-study 5.2). */
export function sendBackendError(reply: FastifyReply, status: number, message: string, data?: unknown): FastifyReply {
  return reply.code(status).send({ statusCode: status, error: reason(status), message, data });
}

/** Envelope B for an input that the backend found invalid (work-study 5.2). */
export function sendBackendValidationError(
  reply: FastifyReply,
  context: 'querystring' | 'params' | 'body',
  found: readonly Issue[],
): FastifyReply {
  const message = found.map((issue) => `${context}.${issue.path.join('.')}: ${issue.message}`).join(', ');
  const issues = found.map(({ code, path, message: text, details }) => ({ code, ...details, path, message: text }));
  const validationError = {
    code: 'FST_ERR_VALIDATION',
    issues,
    name: 'ZodError',
    statusCode: 400,
    validationContext: context,
  };
  return sendBackendError(reply, 400, message, { validationError });
}

/** The third form, for an unknown path or method (work-study 5.4). */
export function sendUnknownPath(reply: FastifyReply): FastifyReply {
  const payload = { statusCode: 404, error: 'Not Found', message: 'Path does not exists' };
  return reply.code(404).send({ statusCode: 404, payload, headers: {} });
}
