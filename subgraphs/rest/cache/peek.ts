import type { WhyNot } from '../../../kernel/at-hand.js';
import type { Credential, OperationContext } from '../../../kernel/operation.js';
import type { UpstreamMode } from '../../../kernel/services.js';
import { type CacheEntry, parseResponse } from '../call/call.js';
import type { Upstream, UpstreamRequest } from '../call/upstream.js';
import type { Origin } from '../responses/shape.js';
import { isGoodUntil } from './freshness.js';
import { createHits, EntryPart, type Found, type HitsOptions } from './hits.js';
import { keyFor, partitionOf } from './identity.js';

/** Where a peek looks, and where its hits are reported. */
export interface PeekOptions extends HitsOptions {
  readonly mode: UpstreamMode;
  readonly operatorKey: Credential | null;
  readonly origin: Origin;
}

type AnyRequest = UpstreamRequest<unknown>;

/** A part whose entry is in memory. */
type FoundPart = EntryPart & { readonly entry: CacheEntry };

/**
 * Looks for a fresh entry without waiting, in memory alone and by the rules of the stages, such as the caller's
 * partition. A hit is recorded as the stages record it.
 */
export function peek(options: PeekOptions): Upstream['peek'] {
  const { mode, operatorKey, cache, clock, origin } = options;
  const hits = createHits(options);

  /** Whose responses may answer a request; null where the stages have to decide. */
  function partitionFor(request: AnyRequest, operation: OperationContext): string | null {
    const { credential, signal, deadline, atHand } = operation;
    if (request.cache === 'never' || mode === 'off') return null;
    // The stages raise the right error. A run that uses only what is at hand ends before it could be late.
    if (atHand === undefined && (signal.aborted || deadline.remainingMs() <= 0)) return null;
    const key = keyFor(request.key, credential, operatorKey);
    return key === null && request.key !== 'none' ? null : partitionOf(request.key, key);
  }

  /** The part that a request found last time, if its entry would be found again. */
  function findAgain({ found }: AnyRequest, partition: string, nowMs: number): FoundPart | null {
    return found instanceof EntryPart && found.isFoundBy(partition, nowMs) ? (found as FoundPart) : null;
  }

  function find(request: AnyRequest, partition: string, nowMs: number): Found | WhyNot {
    const place = cache.placeNow(partition, request);
    if (place === null) return 'uncached';
    const entry = cache.get(place);
    if (entry === undefined) return 'missing';
    const isFresh = isGoodUntil(entry.freshUntilMs, entry.storedAtMs, nowMs);
    return isFresh ? { entry, place, partition } : 'expired';
  }

  /** The value of an entry; undefined if this request's parser cannot read it, which the stages report. */
  function readEntry<T>({ response }: CacheEntry, request: UpstreamRequest<T>): T | null | undefined {
    try {
      return response.unknown ? null : parseResponse(response, request, origin);
    } catch {
      return undefined;
    }
  }

  return <T>(request: UpstreamRequest<T>, operation: OperationContext): T | null | undefined => {
    const { atHand } = operation;
    // In a dry run the stages do the look-up, and record nothing but the price.
    if (operation.dryRun === true) return undefined;
    const partition = partitionFor(request, operation);
    if (partition === null) return atHand?.giveUp('uncached');
    const nowMs = atHand?.nowMs ?? clock.wallMs();
    const again = atHand === undefined ? null : findAgain(request, partition, nowMs);
    if (again !== null && again.parse === request.parse) {
      atHand?.recordUse(again);
      return again.value as T;
    }
    const found: FoundPart | Found | WhyNot = again ?? find(request, partition, nowMs);
    if (typeof found === 'string') return atHand?.giveUp(found);
    const value = readEntry(found.entry, request);
    if (value === undefined) return atHand?.giveUp('uncached');
    if (atHand === undefined) hits.record(request, found.entry, operation);
    else {
      const part = found instanceof EntryPart ? found : hits.partOf(request, found);
      if (request.identity !== undefined) request.found = part;
      atHand.recordUse(part);
    }
    return value;
  };
}
