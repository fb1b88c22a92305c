import type { GraphQLFormattedError } from 'graphql';
import { INTERNAL_MESSAGE } from '../../runtime/errors/safe-errors.js';
import { ERRORS } from '../../schema/errors.js';

/** Codes of Apollo's libraries for mistakes that are ours. */
const INTERNAL_CODES: ReadonlySet<unknown> = new Set([undefined, 'INTERNAL_SERVER_ERROR', 'INVALID_GRAPHQL']);

/**
 * An error as it leaves the process: message, place, and of the extensions code, service, time and request id.
 * GraphQL's and Apollo's own codes stay; what has no code that a caller could use is INTERNAL, its words withheld.
 */
export function finishError(error: GraphQLFormattedError, requestId: string): GraphQLFormattedError {
  const { message, locations, path, extensions = {} } = error;
  const { code, service, retryAfterSeconds } = extensions;
  const internal = INTERNAL_CODES.has(code);
  return {
    message: internal ? INTERNAL_MESSAGE : shorten(message),
    ...(locations !== undefined && { locations }),
    ...(path !== undefined && { path }),
    extensions: {
      code: internal ? 'INTERNAL' : code,
      ...(service !== undefined && { service }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      requestId,
    },
  };
}

/** Messages quote what the client sent, which may be as long as a body. */
const MESSAGE_LENGTH = 1_000;

function shorten(message: string): string {
  return message.length <= MESSAGE_LENGTH ? message : `${message.slice(0, MESSAGE_LENGTH)}…`;
}

/** HTTP status of a request that fails whole with this code (`schema/errors.ts`). */
export function statusOf(code: unknown): number {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS].httpStatus : 400;
}
