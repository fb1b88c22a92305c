import type { CodedError } from '../../../kernel/errors.js';
import type { Credential, OperationContext } from '../../../kernel/operation.js';
import type { ServiceName, UpstreamMode } from '../../../kernel/services.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import { type CacheEntry, parseResponse, unsentRow } from '../call.js';
import { keyFor, partitionOf } from '../keys.js';
import type { Clock } from '../ports/ports.js';
import type { Reporter } from '../report.js';
import type { Origin } from '../shape.js';
import type { Recalled, UpstreamRequest, UpstreamService } from '../upstream.js';
import { isGoodUntil, type ResponseCache } from './response-cache.js';

interface PeekOptions {
  readonly service: ServiceName;
  readonly mode: UpstreamMode;
  readonly operatorKey: Credential | null;
  readonly origin: Origin;
  readonly cache: ResponseCache;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Called for each hit, for metrics and the log. */
  readonly onCall: (row: UpstreamCall, error: CodedError | null) => void;
}

type AnyRequest = UpstreamRequest<unknown>;

/**
 * Looks into the memory of the cache without waiting, by the rules of the stages, such as the caller's partition. A hit
 * is reported as the stages report it.
 */
export function createPeek(options: PeekOptions): Pick<UpstreamService, 'peek' | 'recall'> {
  const { cache, clock, origin } = options;

  function find(request: AnyRequest, operation: OperationContext): CacheEntry | undefined {
    const partition = partitionFor(request, operation, options);
    const place = partition === null ? null : cache.placeNow(partition, request);
    return place === null ? undefined : cache.get(place);
  }

  /** The value of an entry; undefined if this request's parser cannot read it, which the stages report. */
  function readEntry<T>({ response }: CacheEntry, request: UpstreamRequest<T>): T | null | undefined {
    try {
      return response.unknown ? null : parseResponse(response, request, origin);
    } catch {
      return undefined;
    }
  }

  const isFresh = ({ freshUntilMs, storedAtMs }: CacheEntry) => isGoodUntil(freshUntilMs, storedAtMs, clock.wallMs());

  return {
    peek(request, operation) {
      // In a dry run the stages do the look-up, and record nothing but the price.
      const entry = operation.dryRun === true ? undefined : find(request, operation);
      if (entry === undefined || !isFresh(entry)) return undefined;
      const value = readEntry(entry, request);
      if (value !== undefined) report(options, request, entry, operation);
      return value;
    },
    recall<T>(request: UpstreamRequest<T>, operation: OperationContext): Recalled<T> | undefined {
      const entry = find(request, operation);
      const value = entry === undefined ? undefined : readEntry(entry, request);
      if (entry === undefined || value === undefined) return undefined;
      return { value, isFresh: isFresh(entry) };
    },
  };
}

/** Whose responses may answer a request; null where the stages have to decide. */
function partitionFor(
  request: AnyRequest,
  { credential, signal, deadline }: OperationContext,
  { mode, operatorKey }: Pick<PeekOptions, 'mode' | 'operatorKey'>,
): string | null {
  if (request.cache === 'never' || mode === 'off') return null;
  // The stages raise the right error.
  if (signal.aborted || deadline.remainingMs() <= 0) return null;
  const key = keyFor(request.key, credential, operatorKey);
  return key === null && request.key !== 'none' ? null : partitionOf(request.key, key);
}

function report(
  { service, clock, reporter, onCall }: PeekOptions,
  request: AnyRequest,
  { freshUntilMs, storedAtMs, response }: CacheEntry,
  { recorder, planNode, span }: OperationContext,
): void {
  const freshMs = Math.floor(freshUntilMs - clock.wallMs());
  const row = { ...unsentRow(service, request), startMs: recorder.elapsedMs(), planNode, freshMs };
  span?.child(`call ${service}`).end({ 'url.template': row.path, 'passerelle.cache': row.cache });
  recorder.record(row);
  const isReference = request.cache === 'reference' && !response.unknown;
  reporter.responses.record({ isHit: true, referenceMs: isReference ? storedAtMs : null });
  onCall(row, null);
}
