import type { GraphQLFormattedError } from 'graphql';
import type { ErrorCode } from '../../kernel/errors.js';
import { isOurCode } from '../../runtime/errors.js';
import type { GraphqlResponse } from '../graph/graphql-server.js';

/**
 * How an operation ended. `partial`: it has errors, but also some data. Without data, it `failed` for a reason on our
 * side or a source's, or was `refused` because of what its client sent.
 */
export type Outcome = 'ok' | 'partial' | 'failed' | 'refused';

/** Codes for which the client is not to blame: the same operation may succeed later. */
const FAULTS: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID_RESPONSE',
  'SOURCE_OFF',
  'DEADLINE_EXCEEDED',
  'GATEWAY_UNAVAILABLE',
  'INTERNAL',
]);

/** Nearly every root field is nullable, so even a response that answers nothing has data: its nulls. */
export function outcomeOf({ data, errors }: Pick<GraphqlResponse, 'data' | 'errors'>): Outcome {
  if (errors === undefined) return 'ok';
  if (answersSomething(data ?? {}, errors)) return 'partial';
  return errors.some(isFault) ? 'failed' : 'refused';
}

/** Whether a root field has a value, or a null that no error explains. A root `__typename` does not count. */
function answersSomething(data: Record<string, unknown>, errors: readonly GraphQLFormattedError[]): boolean {
  const failed = new Set(errors.map(({ path }) => path?.[0]));
  return Object.keys(data).some(
    (key) => key !== '__typename' && (data[key] !== null || !(failed.has(key) || failed.has(undefined))),
  );
}

/** A code that is not ours is a library's refusal of the document or, with a path, an error of a field. */
function isFault({ path, extensions }: GraphQLFormattedError): boolean {
  const code = extensions?.['code'];
  return isOurCode(code) ? FAULTS.has(code) : path !== undefined;
}
