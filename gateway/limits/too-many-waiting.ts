import { CodedError } from '../../kernel/errors.js';

/** In whole seconds. Short, since the caller's earlier operations keep ending. */
const RETRY_SECONDS = 1;

/** The error for an operation whose caller already has too many others waiting. */
export function tooManyWaiting(operations: string): CodedError {
  const message = `Too many of your ${operations} are queued; send fewer at once.`;
  return new CodedError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: RETRY_SECONDS });
}
