import { CodedError } from '../../schema/errors.js';

/** Whole seconds: what a caller sent before it ends all the time. */
const RETRY_SECONDS = 1;

/** The error for an operation whose caller has too many others that wait for their turn. */
export function tooManyWaiting(operations: string): CodedError {
  const message = `Too many of your ${operations} are queued; send fewer at once.`;
  return new CodedError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: RETRY_SECONDS });
}
