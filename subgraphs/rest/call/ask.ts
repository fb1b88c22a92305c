import type { Awaitable } from '../../../schema/is-promise.js';
import type { OperationContext } from '../../../schema/operation.js';
import type { Upstream, UpstreamRequest } from './upstream.js';

/** The value of a call: at once where a fresh cache entry has it, else its promise. */
export function ask<T>(
  upstream: Upstream,
  request: UpstreamRequest<T>,
  operation: OperationContext,
): Awaitable<T | null> {
  const kept = upstream.peek(request, operation);
  return kept === undefined ? upstream.call(request, operation) : kept;
}
