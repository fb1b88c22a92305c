import type { GraphQLFormattedError } from 'graphql';
import { ERRORS } from '../../kernel/errors.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors/safe-errors.js';

/** Codes that Apollo's libraries use for internal errors. */
const INTERNAL_CODES: ReadonlySet<unknown> = new Set([undefined, 'INTERNAL_SERVER_ERROR', 'INVALID_GRAPHQL']);

/**
 * An error as clients see it: message, locations, path and, in its extensions, `code`, `service`, `retryAfterSeconds`
 * and `requestId`. Codes of GraphQL and Apollo stay; an error without a code becomes `INTERNAL`, its message withheld.
 */
export function formatError(error: GraphQLFormattedError, requestId: string): GraphQLFormattedError {
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

/** In characters. Messages quote client input, which may be as long as the body. */
const MESSAGE_LENGTH = 1_000;

function shorten(message: string): string {
  return message.length <= MESSAGE_LENGTH ? message : `${message.slice(0, MESSAGE_LENGTH)}…`;
}

/** HTTP status of a request that fails entirely with this code (`kernel/errors.ts`). */
export function statusOf(code: unknown): number {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS].httpStatus : 400;
}
