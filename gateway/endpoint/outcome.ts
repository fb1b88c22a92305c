import type { GraphQLFormattedError } from 'graphql';
import { isOurCode } from '../../runtime/errors/safe-errors.js';
import type { ErrorCode } from '../../schema/errors.js';
import type { GraphqlResponse } from '../execution/graphql-server.js';

/**
 * What came of an operation. `partial` has errors beside something that was answered. Where nothing was, it `failed` for
 * a reason on our side or a source's, or was `refused` because of what its client sent.
 */
export type Outcome = 'ok' | 'partial' | 'failed' | 'refused';

/** Codes that are no fault of the client's: the same operation is answered on a better day. */
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

/** Nearly every root field is nullable, so a response without an answer has data too: its nulls. */
export function outcomeOf({ data, errors }: Pick<GraphqlResponse, 'data' | 'errors'>): Outcome {
  if (errors === undefined) return 'ok';
  if (answersSomething(data ?? {}, errors)) return 'partial';
  return errors.some(isFault) ? 'failed' : 'refused';
}

/** Whether a root field has a value, or a null that no error explains. Its own `__typename` is no answer. */
function answersSomething(data: Record<string, unknown>, errors: readonly GraphQLFormattedError[]): boolean {
  const failed = new Set(errors.map(({ path }) => path?.[0]));
  return Object.keys(data).some(
    (key) => key !== '__typename' && (data[key] !== null || !(failed.has(key) || failed.has(undefined))),
  );
}

/** What is not of our table is a library's refusal of the document, or at a field the word of a foreign subgraph. */
function isFault({ path, extensions }: GraphQLFormattedError): boolean {
  const code = extensions?.['code'];
  return isOurCode(code) ? FAULTS.has(code) : path !== undefined;
}
