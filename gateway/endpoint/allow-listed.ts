import type { Log } from '../../kernel/log.js';
import { type GraphqlParameters, persistedHashOf } from '../http/parameters.js';
import { allowOperation, type SafelistPolicy } from '../limits/safelist.js';
import type { RequestMetrics } from './request-report.js';

/**
 * Checks an operation against the safelist and counts the decision. Returns its parameters, with the listed text if
 * only a hash was sent. Throws a CodedError if the operation is refused.
 */
export function allowListed(
  parameters: GraphqlParameters,
  policy: SafelistPolicy,
  { log, metrics }: { readonly log: Log; readonly metrics: RequestMetrics | null },
): GraphqlParameters {
  const { query } = parameters;
  const decision = allowOperation({ query, hash: persistedHashOf(parameters) }, policy, log);
  metrics?.safelisted(decision.outcome);
  if (decision.outcome === 'refused') throw decision.error;
  // The safelist knows the document, so the persisted-query store is not needed.
  return decision.text === undefined || query !== undefined
    ? parameters
    : { ...parameters, query: decision.text, extensions: undefined };
}
