import type { CodedError } from '../../../schema/errors.js';
import type { OperationContext } from '../../../schema/operation.js';
import type { ServiceName } from '../../../schema/services.js';
import type { UpstreamCall } from '../../../schema/trace.js';
import type { CacheEntry, HeldPart } from '../call/call.js';
import type { UpstreamRequest } from '../call/upstream.js';
import type { Clock } from '../ports/clock.js';
import type { Reporter } from '../report/reporter.js';
import { EntryPart } from './entry-part.js';
import type { ResponseCache } from './response-cache.js';

type AnyRequest = UpstreamRequest<unknown>;

/** A fresh entry, and where it is. */
export interface Found {
  readonly entry: CacheEntry;
  readonly place: string;
  readonly partition: string;
}

/** What hits are reported with, and where to. */
export interface HitsOptions {
  readonly service: ServiceName;
  readonly cache: ResponseCache;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Called with every row, for metrics and the log. */
  readonly onCall: (row: UpstreamCall, error: CodedError | null) => void;
}

/** Reports responses that were found without a call. */
export interface Hits {
  /** Reports an operation's hit at once. */
  record(request: AnyRequest, entry: CacheEntry, operation: OperationContext): void;
  /** The part by which a run refers to the entry, counting its uses when it completes. One part per entry. */
  partOf(request: AnyRequest, found: Found): HeldPart;
}

/** Reports hits of one service's cache. */
export function createHits({ service, cache, clock, reporter, onCall }: HitsOptions): Hits {
  const rows = new Map<string, UpstreamCall>();

  function onUse(row: UpstreamCall, referenceMs: number | null): void {
    reporter.responses.record({ isHit: true, referenceMs });
    onCall(row, null);
  }

  /** The row reported for hits in runs: the same for all hits of a route. */
  function rowInRuns(request: AnyRequest): UpstreamCall {
    const route = `${request.method} ${request.template} ${request.entities}`;
    const row = rows.get(route) ?? rowOf(service, request, { startMs: 0, planNode: '' });
    rows.set(route, row);
    return row;
  }

  return {
    record(request, entry, { recorder, planNode, span }) {
      const freshMs = Math.floor(entry.freshUntilMs - clock.wallMs());
      const row = { ...rowOf(service, request, { startMs: recorder.elapsedMs(), planNode }), freshMs };
      span?.child(`call ${service}`).end({ 'url.template': row.path, 'passerelle.cache': row.cache });
      recorder.record(row);
      onUse(row, isReference(request, entry) ? entry.storedAtMs : null);
    },
    partOf(request, { entry, place, partition }) {
      if (entry.part === undefined) {
        const of = { row: rowInRuns(request), isReference: isReference(request, entry), onUse };
        entry.part = new EntryPart(entry, { cache, partition, place, ...of });
      }
      return entry.part;
    },
  };
}

function isReference(request: AnyRequest, { response }: CacheEntry): boolean {
  return request.cache === 'reference' && !response.unknown;
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
