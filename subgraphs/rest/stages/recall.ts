import type { OperationContext } from '../../../kernel/operation.js';
import { isGoodUntil } from '../cache/response-cache.js';
import { parseResponse, unsentRow } from '../call.js';
import { keyFor, partitionOf } from '../keys.js';
import type { UpstreamRequest, UpstreamService } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/**
 * Looks into the memory of the cache without waiting, by the rules of the stages, such as the caller's partition. A hit
 * is reported as the stages report it; all else is left to `call`.
 */
export function createRecall(
  parts: ServiceParts,
  call: UpstreamService['call'],
): Pick<UpstreamService, 'read' | 'recall'> {
  const { cache, clock, sender, mode, operatorKey } = parts;

  /** What memory has; undefined if nothing, or what this request's parser cannot read, which the stages report. */
  function find<T>(request: UpstreamRequest<T>, operation: OperationContext) {
    const { credential, deadline } = operation;
    const key = keyFor(request.key, credential, operatorKey);
    // The stages raise the right error, also for a signal that is aborted: then no time is left.
    const isRefused = mode === 'off' || deadline.remainingMs() <= 0;
    if (request.cache === 'never' || isRefused || (key === null && request.key !== 'none')) return undefined;
    const place = cache.placeNow(partitionOf(request.key, key), request);
    const entry = place === null ? undefined : cache.get(place);
    if (entry === undefined) return undefined;
    const { freshUntilMs, storedAtMs, response } = entry;
    const isFresh = isGoodUntil(freshUntilMs, storedAtMs, clock.wallMs());
    try {
      return { entry, isFresh, value: response.unknown ? null : parseResponse(response, request, sender) };
    } catch {
      return undefined;
    }
  }

  return {
    recall: find,
    read(request, operation) {
      // In a dry run the stages do the look-up, and record nothing but the price.
      const found = operation.dryRun === true ? undefined : find(request, operation);
      if (found === undefined || !found.isFresh) return call(request, operation);
      const { freshUntilMs, storedAtMs, response } = found.entry;
      const { recorder, planNode, span } = operation;
      const freshMs = Math.floor(freshUntilMs - clock.wallMs());
      const row = unsentRow(parts.service, request, { startMs: recorder.elapsedMs(), planNode, freshMs });
      span?.child(`call ${parts.service}`).end({ 'url.template': row.path, 'passerelle.cache': row.cache });
      recorder.record(row);
      const isReference = request.cache === 'reference' && !response.unknown;
      parts.reporter.countResponse({ isHit: true, referenceMs: isReference ? storedAtMs : null });
      parts.onCall(row, null);
      return found.value;
    },
  };
}
