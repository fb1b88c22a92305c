import { CodedError, type ErrorCode } from '../../../kernel/errors.js';
import type { ServiceName } from '../../../kernel/services.js';
import { TransportFailure } from '../ports/transport.js';

/** The errors that the toolkit itself raises, with the messages that callers see. */

/** The caller's own time is up, or they have left; the call may still succeed for others who wait for it. */
export function deadlineExceeded(service: ServiceName, cause?: unknown): CodedError {
  return new CodedError('DEADLINE_EXCEEDED', `The time allowed for this request was over before ${service} answered.`, {
    service,
    cause,
  });
}

/** One attempt took longer than its limit, or a file paused for 30 s. */
export function timedOut(service: ServiceName): CodedError {
  return new CodedError('UPSTREAM_TIMEOUT', `${service} took too long to answer.`, { service });
}

/** The operator has not configured the service, or not the key that it needs. */
export function sourceOff(service: ServiceName): CodedError {
  return new CodedError('SOURCE_OFF', `${service} is not configured here.`, { service });
}

/** An id that would turn the address into that of another route. */
export function otherRoute(): CodedError {
  return new CodedError('BAD_USER_INPUT', 'An id cannot be made of dots alone.');
}

/** Arguments that cannot form an address: they are too many, or contain text that cannot be part of one. */
export function noAddress(problem: string): CodedError {
  return new CodedError('BAD_USER_INPUT', `The arguments ${problem}.`);
}

/** The call needs a key of the caller's own, and none came with the request. */
export function credentialsRequired(service: ServiceName): CodedError {
  return new CodedError('CREDENTIALS_REQUIRED', `This needs a key or a login of your own for ${service}.`, { service });
}

/** The service is known to be down, and will be tried again in `retryInMs`. */
export function unavailable(service: ServiceName, retryInMs: number): CodedError {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryInMs / 1000));
  return new CodedError('UPSTREAM_UNAVAILABLE', `${service} is not available.`, { service, retryAfterSeconds });
}

/** What a failure below HTTP means to a caller. */
function unreachable(service: ServiceName, failure: TransportFailure): CodedError {
  switch (failure.kind) {
    case 'too-large':
      return invalidResponse(service, 'a response that is too large', failure);
    case 'unreadable':
      return invalidResponse(service, 'a response that cannot be read', failure);
    default:
      return new CodedError('UPSTREAM_UNAVAILABLE', `${service} cannot be reached.`, { service, cause: failure });
  }
}

/** A write was sent and no response confirms it: it may have been done all the same. */
export function writeInDoubt(service: ServiceName, { code, message, cause }: CodedError): CodedError {
  const warning = `${service} did not confirm this write, which may have been done: check before you repeat it.`;
  return new CodedError(code, warning, { service, cause: cause ?? message });
}

/** Whether a call failed because its response exceeds the size limit: requested in parts, it may succeed. */
export function isTooLarge(error: unknown): boolean {
  const cause = error instanceof CodedError ? error.cause : error;
  return cause instanceof TransportFailure && cause.kind === 'too-large';
}

/** The service answered, but not as it documents. `what` completes the message “<service> sent …”. */
export function invalidResponse(service: ServiceName, what: string, cause?: unknown): CodedError {
  return new CodedError('UPSTREAM_INVALID_RESPONSE', `${service} sent ${what}.`, { service, cause });
}

/** The error as a CodedError, which every rejection of the toolkit is; anything unexpected becomes `INTERNAL`. */
export function coded(service: ServiceName, error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  if (error instanceof TransportFailure) return unreachable(service, error);
  return new CodedError('INTERNAL', 'Internal error.', { service, cause: error });
}

/** Failures of the service itself. Everything else, such as a refused input, shows that it is up. */
const OUTAGES: ReadonlySet<ErrorCode> = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID_RESPONSE',
]);

/** Whether a call failed because of the service: down, too slow or unreadable. A caller who leaves is no outage. */
export function isOutage(error: unknown): boolean {
  if (error instanceof TransportFailure) return error.kind !== 'aborted';
  return error instanceof CodedError && OUTAGES.has(error.code);
}

/** Whether a call that failed after it was sent may have been executed: nothing that came back says otherwise. */
export function mayBeDone(error: unknown): boolean {
  if (error instanceof TransportFailure) return error.kind !== 'refused';
  return isOutage(error) || (error instanceof CodedError && error.code === 'DEADLINE_EXCEEDED');
}
