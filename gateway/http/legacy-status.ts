import { readChoices } from './negotiation.js';

/** What GraphQL itself finds wrong with a request that it could read. */
const REQUEST_ERRORS: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
]);

/**
 * The status of a response without data whose first error has this code. Clients that name `application/json` take
 * everything but 200 for a failure of the network and read no errors (GraphQL over HTTP, 6.4.1). Whoever names no type,
 * or the newer one, gets the status of the error.
 */
export function statusFor(accept: string | undefined, status: number, code: unknown): number {
  if (status !== 400 || !REQUEST_ERRORS.has(code)) return status;
  const preferred = readChoices(accept ?? '').find(({ name }) => /^application\/(graphql-response\+)?json$/.test(name));
  return preferred?.name === 'application/json' ? 200 : status;
}
