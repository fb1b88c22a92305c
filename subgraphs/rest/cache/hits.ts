import type { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { ServiceName } from '../../../kernel/services.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import type { CacheEntry, HeldPart, Reading } from '../call/call.js';
import type { UpstreamRequest } from '../call/upstream.js';
import type { Clock } from '../ports/clock.js';
import type { Reporter } from '../report/reporter.js';
import { isGoodUntil } from './freshness.js';
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

/**
 * Reports responses that were found in memory, without a call.
 *
 * A hit of an ordinary operation is reported at once. A run that uses only what is at hand (`kernel/at-hand.ts`) may
 * still end early, and the text that it makes is sent again for as long as all that it is made of is fresh. So a run
 * does not hold entries, but a **part** for each: a handle that
 *
 * - says whether a look-up would find the entry again, and fresh, at a fraction of a look-up's cost;
 * - counts each use as a hit, when a run completes or its text is sent again;
 * - lets go of the entry when memory evicts it, so that holding the part costs nothing;
 * - moves on to the new entry when the service confirms the response.
 */
export interface Hits {
  /** Reports an operation's hit at once. */
  record(request: AnyRequest, entry: CacheEntry, operation: OperationContext): void;
  /** The part of an entry: one for each entry, however many runs use it. */
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

/** Shortest time between two uses of an entry that count in memory, which evicts the least recently used. */
const TOUCHED_EVERY_MS = 1000;

/** Where an entry is, and what is notified of its uses. */
export interface EntryPartOptions {
  readonly cache: ResponseCache;
  readonly partition: string;
  readonly place: string;
  /** The row reported for each use. */
  readonly row: UpstreamCall;
  /** Whether it is reference data, whose age is reported. */
  readonly isReference: boolean;
  /** Called for each use, with the time at which the service sent or confirmed reference data; null for other data. */
  readonly onUse: (row: UpstreamCall, referenceMs: number | null) => void;
}

/** A handle on a fresh cache entry for texts made from it, since the entry may be evicted before they are. */
export class EntryPart implements HeldPart {
  readonly isCall = true;
  lastRun = 0;
  entry: CacheEntry | null;
  freshUntilMs: number;
  /** The parser that made `value` from the response; null before it was parsed and after the entry was evicted. */
  parse: Reading['parse'] | null;
  value: unknown;
  // Separate fields, so that a look-up touches as little memory as possible.
  readonly #cache: ResponseCache;
  readonly #partition: string;
  readonly #place: string;
  readonly #row: UpstreamCall;
  readonly #isReference: boolean;
  readonly #onUse: EntryPartOptions['onUse'];
  readonly #version: string | null;
  #storedAtMs: number;
  #touchedMs = 0;

  constructor(entry: CacheEntry, { cache, partition, place, row, isReference, onUse }: EntryPartOptions) {
    this.entry = entry;
    this.freshUntilMs = entry.freshUntilMs;
    this.parse = entry.response.reading?.parse ?? null;
    this.value = entry.response.reading?.value;
    this.#partition = partition;
    this.#place = place;
    this.#cache = cache;
    this.#row = row;
    this.#isReference = isReference;
    this.#onUse = onUse;
    this.#version = cache.versionNow(partition);
    this.#storedAtMs = entry.storedAtMs;
  }

  confirmed(entry: CacheEntry): void {
    this.entry = entry;
    this.freshUntilMs = entry.freshUntilMs;
    this.#storedAtMs = entry.storedAtMs;
  }

  evicted(): void {
    this.entry = null;
    this.parse = null;
    this.value = null;
  }

  isGood(nowMs: number): boolean {
    if (this.entry === null || !isGoodUntil(this.freshUntilMs, this.#storedAtMs, nowMs)) return false;
    return this.#cache.versionNow(this.#partition) === this.#version;
  }

  /** Whether calls of this partition would find the entry again, and fresh. */
  isFoundBy(partition: string, nowMs: number): boolean {
    return partition === this.#partition && this.isGood(nowMs);
  }

  countUse(nowMs: number): void {
    this.#onUse(this.#row, this.#isReference ? this.#storedAtMs : null);
    if (nowMs - this.#touchedMs < TOUCHED_EVERY_MS) return;
    this.#touchedMs = nowMs;
    this.#cache.get(this.#place);
  }
}
