import type { Awaitable } from '../../../schema/is-promise.js';
import type { OperationContext } from '../../../schema/operation.js';
import type { Upstream, UpstreamRequest } from './upstream.js';

/** The value of a call: at once where a fresh cache entry has it, else its promise. */
export function callUpstream<T>(
  upstream: Upstream,
  request: UpstreamRequest<T>,
  operation: OperationContext,
): Awaitable<T | null> {
  const cached = upstream.peek(request, operation);
  return cached === undefined ? upstream.call(request, operation) : cached;
}
