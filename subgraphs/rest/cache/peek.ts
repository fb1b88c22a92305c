import type { CachedPart, WhyNot } from '../../../schema/at-hand.js';
import type { CodedError } from '../../../schema/errors.js';
import type { Credential, OperationContext } from '../../../schema/operation.js';
import type { ServiceName, UpstreamMode } from '../../../schema/services.js';
import type { UpstreamCall } from '../../../schema/trace.js';
import type { CacheEntry } from '../call/call.js';
import { parseResponse } from '../call/parse-response.js';
import type { Upstream, UpstreamRequest } from '../call/upstream.js';
import type { Clock } from '../ports/clock.js';
import type { Reporter } from '../report/reporter.js';
import type { Origin } from '../shapes/shape.js';
import { EntryPart } from './entry-part.js';
import { keyFor, partitionOf } from './identity.js';
import type { ResponseCache } from './response-cache.js';

/** What a peek looks at, and who hears of its hits. */
export interface PeekOptions {
  readonly service: ServiceName;
  readonly mode: UpstreamMode;
  readonly operatorKey: Credential | null;
  readonly cache: ResponseCache;
  readonly clock: Clock;
  readonly origin: Origin;
  readonly reporter: Reporter;
  /** Hears of every row, for metrics and the log. */
  readonly onCall: (row: UpstreamCall, error: CodedError | null) => void;
}

type AnyRequest = UpstreamRequest<unknown>;

/** A fresh entry, and where it is. */
interface Found {
  readonly entry: CacheEntry;
  readonly place: string;
  readonly partition: string;
}

/**
 * Looks for a fresh entry without waiting, by the rules of the stages: the caller's own partition, memory alone. A hit
 * is recorded as the stages record it.
 */
export function peek(options: PeekOptions): Upstream['peek'] {
  const { service, mode, operatorKey, cache, clock, origin, reporter, onCall } = options;

  function find(request: AnyRequest, operation: OperationContext): Found | WhyNot {
    const { credential, signal, deadline } = operation;
    if (request.cache === 'never' || mode === 'off') return 'uncached';
    // The stages know which error that is.
    if (signal.aborted || deadline.remainingMs() <= 0) return 'uncached';
    const key = keyFor(request.key, credential, operatorKey);
    if (key === null && request.key !== 'none') return 'uncached';
    const partition = partitionOf(request.key, key);
    const place = cache.placeNow(partition, request);
    if (place === null) return 'uncached';
    const entry = cache.refresh(place);
    if (entry === undefined) return 'missing';
    return clock.wallMs() < entry.freshUntilMs ? { entry, place, partition } : 'expired';
  }

  /** The value of an entry; undefined for one that this request's parser cannot read, which the stages report. */
  function readEntry<T>({ response }: CacheEntry, request: UpstreamRequest<T>): T | null | undefined {
    try {
      return response.unknown ? null : parseResponse(response, request, origin);
    } catch {
      return undefined;
    }
  }

  /** Reports a use of an entry. */
  function listenerOf(request: AnyRequest, { response }: CacheEntry, row: UpstreamCall): (storedAtMs: number) => void {
    const isReference = request.cache === 'reference' && !response.unknown;
    return (storedAtMs) => {
      reporter.responses.note({ isHit: true, referenceMs: isReference ? storedAtMs : null });
      onCall(row, null);
    };
  }

  /** One for each entry: its uses are reported alike. */
  function partOf(request: AnyRequest, { entry, place, partition }: Found): CachedPart {
    if (entry.part === undefined) {
      const onUse = listenerOf(request, entry, rowOf(service, request, { startMs: 0, planNode: '' }));
      entry.part = new EntryPart(entry, { cache, partition, place, onUse });
    }
    return entry.part;
  }

  function record(request: AnyRequest, entry: CacheEntry, { recorder, planNode, span }: OperationContext): void {
    const freshMs = Math.floor(entry.freshUntilMs - clock.wallMs());
    const row = { ...rowOf(service, request, { startMs: recorder.elapsedMs(), planNode }), freshMs };
    span?.child(`call ${service}`).end({ 'url.template': row.path, 'passerelle.cache': row.cache });
    recorder.record(row);
    listenerOf(request, entry, row)(entry.storedAtMs);
  }

  return <T>(request: UpstreamRequest<T>, operation: OperationContext): T | null | undefined => {
    const { atHand } = operation;
    // The stages look it up, and record nothing but its price.
    if (operation.dryRun === true) return undefined;
    const found = find(request, operation);
    if (typeof found === 'string') return atHand?.give(found);
    const { entry } = found;
    const value = readEntry(entry, request);
    if (value === undefined) return atHand?.give('uncached');
    if (atHand === undefined) record(request, entry, operation);
    else atHand.took(partOf(request, found));
    return value;
  };
}

function rowOf(
  service: ServiceName,
  { method, template, entities = 1 }: AnyRequest,
  { startMs, planNode }: { readonly startMs: number; readonly planNode: string },
): UpstreamCall {
  return {
    service,
    method,
    path: template,
    status: null,
    startMs,
    ms: 0,
    bytes: 0,
    cache: 'HIT',
    entities,
    retries: 0,
    sent: 0,
    planNode,
  };
}
