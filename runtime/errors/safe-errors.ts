import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { CodedError, ERRORS, type ErrorCode } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';

/** What a caller sees of an internal error. The error itself is in the log, under the request's id. */
export const INTERNAL_MESSAGE = 'Internal error. The log has it under the requestId of this error.';

/** Says whether a code is of our table: such an error was written for callers' eyes. */
export function isOurCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}

/**
 * The form of a resolver's error that may leave the process: code, message and path. A coded error keeps its words,
 * its cause goes to the log; anything else is an internal error (INTERNAL) that only the log shows.
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
