import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { CodedError, ERRORS, type ErrorCode } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';

/** The message of an internal error to callers. The error itself is in the log, under the request's id. */
export const INTERNAL_MESSAGE = 'Internal error. The log has it under the requestId of this error.';

/** Whether a code is in our table: the message of such an error was written for callers. */
export function isOurCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}

/**
 * A resolver's error as it may leave the process: code, message and path. A coded error keeps its message, and its
 * cause goes to the log; any other error is internal (INTERNAL), and only the log shows it.
 */
export function toSafeError(error: GraphQLError, requestId: string, log: Log): GraphQLFormattedError {
  const { code, service, retryAfterSeconds, ownCallsFollow } = error.extensions;
  const path = error.path === undefined ? {} : { path: error.path };
  if (!isOurCode(code)) {
    log.error({ requestId, path: error.path?.join('.'), err: error.originalError ?? error }, 'a resolver failed');
    return { message: INTERNAL_MESSAGE, ...path, extensions: { code: 'INTERNAL' } };
  }
  logCause(error, requestId, log);
  return {
    message: error.message,
    ...path,
    extensions: {
      code,
      ...(service !== undefined && { service }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(ownCallsFollow === true && { ownCallsFollow }),
    },
  };
}

function logCause(error: GraphQLError, requestId: string, log: Log): void {
  const coded = error.originalError ?? error;
  if (!(coded instanceof CodedError)) return;
  const fields = { requestId, path: error.path?.join('.'), code: coded.code, err: coded.cause ?? coded };
  if (coded.code === 'INTERNAL') log.error(fields, 'a resolver failed');
  else if (coded.cause !== undefined) log.debug(fields, 'a field failed');
}
