import { CodedError, type ErrorCode } from '../../../kernel/errors.js';
import { CHECK_MS } from './newest-export.js';

/** Pause after the first failure, doubled after each further one up to `CHECK_MS`. */
const FIRST_PAUSE_MS = 60 * 1000;

/** Failures that waiting does not resolve: this key may not have the export. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'SOURCE_OFF',
  'PERMISSION_DENIED',
  'CREDENTIALS_REQUIRED',
  'CREDENTIALS_REJECTED',
]);

/** Milliseconds until the next attempt: at least what the service says, and longer after each earlier failure. */
export function pauseAfter(error: unknown, failuresBefore: number): number {
  const wantedMs = isRefusal(error) ? CHECK_MS : Math.max(FIRST_PAUSE_MS * 2 ** failuresBefore, retryAfterMs(error));
  return Math.min(wantedMs, CHECK_MS);
}

/** Whether the service refuses this key the export, so that retrying soon is useless. */
export function isRefusal(error: unknown): boolean {
  return error instanceof CodedError && REFUSALS.has(error.code);
}

function retryAfterMs(error: unknown): number {
  const seconds = error instanceof CodedError ? error.extensions['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : 0;
}
