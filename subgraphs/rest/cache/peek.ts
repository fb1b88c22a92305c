import type { BailoutReason, CacheDependency } from '../../../kernel/cached-values.js';
import type { CodedError } from '../../../kernel/errors.js';
import type { Credential, OperationContext } from '../../../kernel/operation.js';
import type { ServiceName, UpstreamMode } from '../../../kernel/services.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import { type CacheEntry, type EntryHandle, parseResponse, type Reading, unsentRow } from '../call.js';
import { keyFor, partitionOf } from '../keys.js';
import type { Clock } from '../ports/ports.js';
import type { Reporter } from '../report.js';
import type { Origin } from '../shape.js';
import type { Recalled, UpstreamRequest, UpstreamService } from '../upstream.js';
import { isGoodUntil, type ResponseCache } from './response-cache.js';

/**
 * Looks into the memory of the cache without waiting, by the rules of the stages, such as the caller's partition.
 *
 * A hit of an ordinary operation is reported at once, as the stages report it. A cached run
 * (`kernel/cached-values.ts`) may still bail out, and the text that it makes is sent again for as long as all entries that it
 * was made from are fresh. Such a text does not keep entries, which would then outlive their eviction. It keeps a
 * **handle** of each (`EntryHandle`), which
 *
 * - says whether a look-up would find the entry again, and fresh, at a fraction of a look-up's cost;
 * - counts each use as a hit, when a run completes or its text is sent again;
 * - lets go of the entry when memory evicts it, so that keeping the handle costs nothing;
 * - moves on to the new entry when the service confirms the response.
 */
export function createPeek(options: PeekOptions): Pick<UpstreamService, 'peek' | 'recall'> {
  const { cache, clock, origin } = options;
  const hits = new HitReporter(options);

  function find(request: AnyRequest, partition: string, nowMs: number): Found | BailoutReason {
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

  const peek = <T>(request: UpstreamRequest<T>, operation: OperationContext): T | null | undefined => {
    const { cachedRun } = operation;
    // In a dry run the stages do the look-up, and record nothing but the price.
    if (operation.dryRun === true) return undefined;
    const partition = partitionFor(request, operation, options);
    if (partition === null) return cachedRun?.bailOut('uncached');
    const nowMs = cachedRun?.nowMs ?? clock.wallMs();
    const again = cachedRun === undefined ? null : findAgain(request, partition, nowMs);
    if (again !== null && again.parse === request.parse) {
      cachedRun?.recordUse(again);
      return again.value as T;
    }
    const found: PresentHandle | Found | BailoutReason = again ?? find(request, partition, nowMs);
    if (typeof found === 'string') return cachedRun?.bailOut(found);
    const value = readEntry(found.entry, request);
    if (value === undefined) return cachedRun?.bailOut('uncached');
    if (cachedRun === undefined) hits.report(request, found.entry, operation);
    else {
      const handle = found instanceof MemoryHandle ? found : hits.handleOf(request, found);
      if (request.identity !== undefined) request.found = handle;
      cachedRun.recordUse(handle);
    }
    return value;
  };

  const recall = <T>(request: UpstreamRequest<T>, operation: OperationContext): Recalled<T> | undefined => {
    const partition = partitionFor(request, operation, options);
    const place = partition === null ? null : cache.placeNow(partition, request);
    const entry = place === null ? undefined : cache.get(place);
    const value = entry === undefined ? undefined : readEntry(entry, request);
    if (entry === undefined || value === undefined) return undefined;
    const nowMs = operation.cachedRun?.nowMs ?? clock.wallMs();
    return { value, isFresh: isGoodUntil(entry.freshUntilMs, entry.storedAtMs, nowMs) };
  };

  return { peek, recall };
}

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

/** A fresh entry, and where it is. */
interface Found {
  readonly entry: CacheEntry;
  readonly place: string;
  readonly partition: string;
}

/** Whose responses may answer a request; null where the stages have to decide. */
function partitionFor(
  request: AnyRequest,
  { credential, signal, deadline, cachedRun }: OperationContext,
  { mode, operatorKey }: Pick<PeekOptions, 'mode' | 'operatorKey'>,
): string | null {
  if (request.cache === 'never' || mode === 'off') return null;
  // The stages raise the right error. A cached run ends before it could be late.
  if (cachedRun === undefined && (signal.aborted || deadline.remainingMs() <= 0)) return null;
  const key = keyFor(request.key, credential, operatorKey);
  return key === null && request.key !== 'none' ? null : partitionOf(request.key, key);
}

/** The handle that a request found last time, if its entry would be found again. */
function findAgain({ found }: AnyRequest, partition: string, nowMs: number): PresentHandle | null {
  return found instanceof MemoryHandle && found.isFoundBy(partition, nowMs) ? (found as PresentHandle) : null;
}

/** Reports responses that were found in memory: at once, or through the handles of their entries. */
class HitReporter {
  private readonly options: PeekOptions;
  /** What handles call for each use: one function, which reports one row, for all entries of a route. */
  private readonly onUses = new Map<string, OnUse>();

  constructor(options: PeekOptions) {
    this.options = options;
  }

  report(request: AnyRequest, entry: CacheEntry, { recorder, planNode, span }: OperationContext): void {
    const { service, clock } = this.options;
    const freshMs = Math.floor(entry.freshUntilMs - clock.wallMs());
    const row = { ...unsentRow(service, request), startMs: recorder.elapsedMs(), planNode, freshMs };
    span?.child(`call ${service}`).end({ 'url.template': row.path, 'passerelle.cache': row.cache });
    recorder.record(row);
    this.count(row, isReference(request, entry) ? entry.storedAtMs : null);
  }

  /** The handle of an entry: one for each entry, however many runs use it. */
  handleOf(request: AnyRequest, { entry, place, partition }: Found): CacheDependency {
    entry.handle ??= new MemoryHandle(entry, {
      cache: this.options.cache,
      partition,
      place,
      isReference: isReference(request, entry),
      onUse: this.onUseOf(request),
    });
    return entry.handle;
  }

  private onUseOf(request: AnyRequest): OnUse {
    const route = `${request.method} ${request.template} ${request.entities}`;
    const known = this.onUses.get(route);
    if (known !== undefined) return known;
    const row = unsentRow(this.options.service, request);
    const onUse: OnUse = (referenceMs) => this.count(row, referenceMs);
    this.onUses.set(route, onUse);
    return onUse;
  }

  private count(row: UpstreamCall, referenceMs: number | null): void {
    this.options.reporter.responses.record({ isHit: true, referenceMs });
    this.options.onCall(row, null);
  }
}

/** Called for each use, with the time at which the service sent or confirmed reference data; null for other data. */
type OnUse = (referenceMs: number | null) => void;

function isReference(request: AnyRequest, { response }: CacheEntry): boolean {
  return request.cache === 'reference' && !response.unknown;
}

/** Shortest time between two uses of an entry that count in memory, which evicts the least recently used. */
const TOUCHED_EVERY_MS = 1000;

/** A handle whose entry is in memory. */
type PresentHandle = MemoryHandle & { readonly entry: CacheEntry };

class MemoryHandle implements EntryHandle {
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
  readonly #isReference: boolean;
  readonly #onUse: OnUse;
  readonly #version: string | null;
  #storedAtMs: number;
  #touchedMs = 0;

  constructor(
    entry: CacheEntry,
    of: { cache: ResponseCache; partition: string; place: string; isReference: boolean; onUse: OnUse },
  ) {
    this.entry = entry;
    this.freshUntilMs = entry.freshUntilMs;
    this.parse = entry.response.reading?.parse ?? null;
    this.value = entry.response.reading?.value;
    this.#cache = of.cache;
    this.#partition = of.partition;
    this.#place = of.place;
    this.#isReference = of.isReference;
    this.#onUse = of.onUse;
    this.#version = of.cache.versionNow(of.partition);
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

  isFresh(nowMs: number): boolean {
    if (this.entry === null || !isGoodUntil(this.freshUntilMs, this.#storedAtMs, nowMs)) return false;
    return this.#cache.versionNow(this.#partition) === this.#version;
  }

  /** Whether calls of this partition would find the entry again, and fresh. */
  isFoundBy(partition: string, nowMs: number): boolean {
    return partition === this.#partition && this.isFresh(nowMs);
  }

  countUse(nowMs: number): void {
    this.#onUse(this.#isReference ? this.#storedAtMs : null);
    if (nowMs - this.#touchedMs < TOUCHED_EVERY_MS) return;
    this.#touchedMs = nowMs;
    this.#cache.get(this.#place);
  }
}
