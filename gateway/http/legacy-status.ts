import { readChoices } from './negotiation.js';

/** Errors that GraphQL itself finds in a readable request. */
const REQUEST_ERRORS: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
]);

/**
 * The status of a response without data whose first error has this code. Clients that name `application/json` treat
 * every status but 200 as a network failure and read no errors (GraphQL over HTTP, 6.4.1). Clients that name no type,
 * or the newer one, get the status of the error.
 */
export function statusFor(accept: string | undefined, status: number, code: unknown): number {
  if (status !== 400 || !REQUEST_ERRORS.has(code)) return status;
  const preferred = readChoices(accept ?? '').find(({ name }) => /^application\/(graphql-response\+)?json$/.test(name));
  return preferred?.name === 'application/json' ? 200 : status;
}
