import { CodedError, type ErrorCode } from '../../../schema/errors.js';
import { TransportFailure } from '../ports/transport.js';

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
