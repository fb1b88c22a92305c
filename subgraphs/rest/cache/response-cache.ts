import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { CACHES, createLru, unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { type CacheEntry, type Call, type CallResponse, parseResponse, type Trail } from '../call.js';
import { identityIn } from '../keys.js';
import type { Clock, Ports } from '../ports/ports.js';
import { NO_DIRECTIVES } from '../ports/transport.js';
import type { Sender } from '../shape.js';
import type { CacheClass, UpstreamRequest } from '../upstream.js';

/**
 * The cached responses of one service, in two tiers: memory in front, which answers at once and is bounded in bytes,
 * and behind it a store, a database file or Redis, which may be slow or away.
 *
 * The **place** of a response says everything that has to be equal for a call to use it:
 *
 *     <version of its key's last write> <partition> <identity of the request>
 *
 * - the partition says whose responses a call may use: everybody's (`shared`), those of its key (the key's fingerprint),
 *   or those of calls without a key;
 * - the version changes with each write of the key. What was stored before the write, or is still in flight, is then
 *   out of reach on every replica, and leaves with age. Nothing has to be found and deleted.
 */
export type ResponseCache = ReturnType<typeof createResponseCache>;

interface ResponseCacheOptions {
  /** Separates services and addresses that share a store. */
  readonly prefix: string;
  readonly sender: Sender;
  /** Whether nobody can write to the service. */
  readonly readOnly: boolean;
}

/** One service's cache over the stores of the ports. */
export function createResponseCache(ports: Ports, { prefix, sender, readOnly }: ResponseCacheOptions) {
  const { clock } = ports;
  const memory = createMemoryTier(clock, ports.watchCache);
  const loads = new Map<string, Promise<CacheEntry | undefined>>();
  const writes = createLastWrites(ports, prefix, readOnly);

  // The private store evicts entries when it is full; a file is bounded only by the number of distinct requests.
  const storeOf = ({ partition, request }: Call): TextStore | null =>
    partition === 'shared' && request.unbounded !== true ? ports.sharedStore : ports.privateStore;

  async function read(call: Call, store: TextStore): Promise<CacheEntry | undefined> {
    const text = await store.get(storeKey(prefix, call));
    // An equal call may have been answered while the store was read; the store's entry is then older.
    const newer = memory.get(call.identity);
    if (newer !== undefined) return newer;
    const nowMs = clock.wallMs();
    const entry = text === undefined ? undefined : readCacheEntry(text, nowMs);
    if (entry === undefined || entry.staleUntilMs <= nowMs || !isReadable(entry, call, sender)) return undefined;
    memory.set(call.identity, entry);
    return entry;
  }

  return {
    /** The version of a key's last write, if it is known without Redis; else null. */
    versionNow: writes.versionNow,
    /** The place of a request; null where it takes reading Redis, and for a request that has no address. */
    placeNow(partition: string, request: UpstreamRequest<unknown>): string | null {
      const version = writes.versionNow(partition);
      if (version === null) return null;
      try {
        return placed(version, identityIn(partition, request));
      } catch {
        // The stages refuse it.
        return null;
      }
    },
    /** The entry in memory at a place; marks it as recently used. */
    get: memory.get,
    /** The call with its place as its identity. A promise where replicas share the version of the last write. */
    place(call: Call): Call | Promise<Call> {
      const placedBy = (version: string): Call => ({ ...call, identity: placed(version, call.identity) });
      const version = writes.versionOf(call.partition);
      return typeof version === 'string' ? placedBy(version) : version.then(placedBy);
    },
    /** The call's entry in the store, which is then put into memory too; null without a store. Equal loads coalesce. */
    load(call: Call): Promise<CacheEntry | undefined> | null {
      const store = storeOf(call);
      if (store === null) return null;
      const known = loads.get(call.identity);
      if (known !== undefined) return known;
      const load = read(call, store).finally(() => loads.delete(call.identity));
      loads.set(call.identity, load);
      return load;
    },
    /** Stores a response in both tiers, as its class and its service allow. */
    put(call: Call, response: CallResponse): void {
      if (response.cacheControl.noStore || call.request.cache === 'never') return;
      const entry = entryOf(response, timesOf(call.request.cache, response), ports);
      memory.set(call.identity, entry);
      // A not-found entry lives for a minute, which is not worth a row.
      if (!response.unknown && response.heapBytes === undefined && response.bytes <= MAX_STORED_BYTES)
        void storeOf(call)?.set(storeKey(prefix, call), writeCacheEntry(entry), entry.staleUntilMs - entry.storedAtMs);
    },
    /** Puts all entries of a key out of reach, because it wrote something. Resolves when that holds for all replicas. */
    invalidate: writes.wrote,
  };
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How long responses of a class are served, in milliseconds since they were fetched. */
interface CacheTimes {
  /** Until then the entry is served as fresh. */
  readonly freshMs: number;
  /** Until then it is served at once and revalidated in the background; no effect when shorter than `freshMs`. */
  readonly revalidateMs: number;
  /** Stale-if-error: until then it may be served when the service is down; no effect when shorter than `freshMs`. */
  readonly staleMs: number;
}

/**
 * The times of each class (architecture 6). `unknown` is for what a service does not have, `cut` for a list that it broke
 * off, as it does until the record is mended; `never` has no row.
 */
export const CACHE_TIMES = {
  reference: { freshMs: DAY_MS, revalidateMs: 2 * DAY_MS, staleMs: 7 * DAY_MS },
  search: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 10 * MINUTE_MS },
  slow: { freshMs: 12 * MINUTE_MS, revalidateMs: 0, staleMs: 0 },
  unknown: { freshMs: MINUTE_MS, revalidateMs: 0, staleMs: 0 },
  cut: { freshMs: 10 * MINUTE_MS, revalidateMs: 0, staleMs: DAY_MS },
} as const satisfies Record<Exclude<CacheClass, 'never'> | 'unknown' | 'cut', CacheTimes>;

function timesOf(
  cacheClass: Exclude<CacheClass, 'never'>,
  { unknown, isCut = false }: Pick<CallResponse, 'unknown' | 'isCut'>,
): CacheTimes {
  return CACHE_TIMES[unknown ? 'unknown' : isCut ? 'cut' : cacheClass];
}

/** A response as it is cached from now on. */
function entryOf(response: CallResponse, times: CacheTimes, { clock, random }: Ports): CacheEntry {
  const storedAtMs = clock.wallMs();
  const jitter = 1 + FRESHNESS_JITTER * (2 * random() - 1);
  const freshUntilMs = storedAtMs + (response.cacheControl.noCache ? 0 : times.freshMs * jitter);
  const untilMs = (ms: number) => Math.max(freshUntilMs, storedAtMs + ms);
  const [revalidateUntilMs, staleUntilMs] = [untilMs(times.revalidateMs), untilMs(times.staleMs)];
  return { response, storedAtMs, freshUntilMs, revalidateUntilMs, staleUntilMs };
}

/** Freshness ends up to a tenth sooner or later; otherwise entries fetched together would be refetched together. */
export const FRESHNESS_JITTER = 0.1;

/** Milliseconds for which a response stays fresh, at least: 0 if it is stale, null if it must not be cached. */
export function freshnessOf(
  { cache: cacheClass }: UpstreamRequest<unknown>,
  response: CallResponse,
  { cache: outcome, freshMs }: Trail,
): number | null {
  if (outcome === 'HIT') return freshMs;
  if (outcome === 'STALE') return 0;
  if (cacheClass === 'never' || response.cacheControl.noStore) return null;
  if (response.cacheControl.noCache) return 0;
  return timesOf(cacheClass, response).freshMs * (1 - FRESHNESS_JITTER);
}

/** Replicas' clocks differ by seconds, and an entry that one has stored is fresh for the others too. */
const MAX_AHEAD_MS = 60_000;

/**
 * Whether an entry stored at `storedAtMs` and fresh until `untilMs` is fresh at `nowMs`. An entry from the future was
 * stored before the clock was set back: its age is unknown, so it is due for a refresh.
 */
export function isGoodUntil(untilMs: number, storedAtMs: number, nowMs: number): boolean {
  return nowMs < untilMs && storedAtMs - nowMs <= MAX_AHEAD_MS;
}

/**
 * Larger responses stay in memory: writing, sending and reading them would block the event loop, and Redis, which has
 * 100 ms for any command.
 */
const MAX_STORED_BYTES = 2 * 1024 * 1024;

/** A place in the cache: the version of its key's last write, and the identity of the call, including its partition. */
function placed(version: string, identity: string): string {
  return `${version} ${identity}`;
}

/** Entries may come from another version of this program, so they are checked like a service's responses. */
function isReadable({ response }: CacheEntry, { request }: Call, sender: Sender): boolean {
  if (response.unknown) return request.unknown === 'null';
  try {
    parseResponse(response, request, sender);
    return true;
  } catch {
    return false;
  }
}

/** Keys in the store are short and reveal nothing about the request. */
function storeKey(prefix: string, { identity }: Call): string {
  return `${prefix}:${createHash('sha256').update(identity).digest('hex')}`;
}

/** Parsed JSON takes about three times the bytes of its text, its views and what is derived from them a fourth. */
const HEAP_PER_BYTE = 4;
/** Ids that a service does not have get a bound of their own, because callers can invent any number of them. */
const MAX_UNKNOWN = 10_000;
/** What an entry costs besides its body: a key of at most some 350 characters, times and place in the map. */
const ENTRY_BYTES = 1100;

/** How often expired entries are evicted, including those that a write of their key put out of reach. */
const SWEEP_MS = 60_000;

/**
 * The fast tier of the cache: synchronous, bounded in bytes (`entries`), with room for another 10,000 not-found entries,
 * and gone with the process.
 */
export function createMemoryTier(clock: Clock, watchCache: WatchCache = unwatched) {
  const perf = { now: () => clock.monotonicMs() };
  const maxSize = CACHES.entries.boundBytes;
  const responses = new LRUCache<string, CacheEntry>({ maxSize, sizeCalculation: heapBytes, ttlResolution: 0, perf });
  const unknown = createLru<CacheEntry>(MAX_UNKNOWN, { perf });
  watchCache('entries', () => responses.calculatedSize);
  watchCache('unknown-ids', () => ENTRY_BYTES * unknown.size);
  let sweptMs = clock.monotonicMs();

  /** On its own, the library evicts an expired entry only when it is read or the cache is full. */
  function sweep(): void {
    if (clock.monotonicMs() - sweptMs < SWEEP_MS) return;
    sweptMs = clock.monotonicMs();
    responses.purgeStale();
    unknown.purgeStale();
  }

  return {
    get: (identity: string): CacheEntry | undefined => responses.get(identity) ?? unknown.get(identity),
    set(identity: string, entry: CacheEntry): void {
      sweep();
      const ttl = Math.max(1, entry.staleUntilMs - clock.wallMs());
      if (entry.response.unknown) {
        responses.delete(identity);
        unknown.set(identity, entry, { ttl });
      } else {
        unknown.delete(identity);
        responses.set(identity, entry, { ttl });
      }
    },
  };
}

function heapBytes({ response }: CacheEntry): number {
  return (response.heapBytes ?? HEAP_PER_BYTE * response.bytes) + ENTRY_BYTES;
}

/** Version of the written form. Changing it makes entries of older programs unreadable, which invalidates them. */
const FORM = 1;

/** An entry as JSON, without what only this process makes of its response, which may be stored. */
function writeCacheEntry({ response, ...entry }: CacheEntry): string {
  const { status, json, unknown, etag, cacheControl, bytes } = response;
  const { mustRevalidate } = cacheControl;
  const times = [entry.storedAtMs, entry.freshUntilMs, entry.revalidateUntilMs, entry.staleUntilMs];
  return JSON.stringify({ form: FORM, times, status, unknown, etag, mustRevalidate, bytes, json });
}

/**
 * The entry that `writeCacheEntry` wrote, as a mark or the folder of this process shows; undefined for one of another
 * version, and for one from the future, whose age is unknown.
 */
function readCacheEntry(text: string, nowMs: number): CacheEntry | undefined {
  const { form, times, mustRevalidate, ...written } = parseJson(text) ?? {};
  if (form !== FORM || !Array.isArray(times)) return undefined;
  const [storedAtMs, freshUntilMs, revalidateUntilMs, staleUntilMs] = times;
  if (storedAtMs - nowMs > MAX_AHEAD_MS) return undefined;
  const response = { ...written, cacheControl: { ...NO_DIRECTIVES, mustRevalidate }, reading: null };
  return { response, storedAtMs, freshUntilMs, revalidateUntilMs, staleUntilMs };
}

// biome-ignore lint/suspicious/noExplicitAny: only entries of our own have our form
function parseJson(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** No entry of a key that can write outlives this, so no version is needed for longer. */
const VERSION_TTL_MS = Math.max(CACHE_TIMES.search.freshMs * (1 + FRESHNESS_JITTER), CACHE_TIMES.search.staleMs);
const MAX_WRITERS = 10_000;
/** Bytes of heap for a fingerprint and two versions. */
const VERSION_BYTES = 1200;
const UNWRITTEN = 'unwritten';
/** A version is not marked. A forged one leads to what the key had cached before, while versions live, or to nothing. */
const VERSION = /^[0-9a-z]{1,12}$/;

interface Version {
  readonly text: string;
  /** The version that it replaced: a store that still has that one has missed this write. */
  readonly replaces: string | null;
}

/**
 * Versions that change whenever a key writes something, in memory, and in a store where replicas share one. A write
 * invalidates the key's cache entries on every replica: the version is part of each place in the cache, so a new version
 * puts all older entries out of reach. Versions expire after `VERSION_TTL_MS`.
 */
export function createLastWrites(
  ports: Pick<Ports, 'clock' | 'random' | 'versionStore' | 'watchCache'>,
  prefix: string,
  /** Whether nobody can write to the service: the store is then never read. */
  readOnly = false,
) {
  const { clock, random, versionStore: store, watchCache } = ports;
  const perf = { now: () => clock.monotonicMs() };
  const known = createLru<Version>(MAX_WRITERS, { ttl: VERSION_TTL_MS, perf });
  watchCache?.('last-writes', () => VERSION_BYTES * known.size);
  const reading = new Map<string, Promise<string>>();

  const keyOf = (partition: string) => `${prefix}:written-${createHash('sha256').update(partition).digest('hex')}`;

  /** The store's version counts unless it lacks this replica's: a store that was down or emptied gets that again. */
  async function readVersion(partition: string): Promise<string> {
    const before = known.get(partition);
    const text = await store?.get(keyOf(partition));
    const stored = text !== undefined && VERSION.test(text) ? text : undefined;
    const own = known.get(partition);
    const wroteMeanwhile = own !== before;
    if (stored !== undefined && stored !== own?.replaces && !wroteMeanwhile) {
      if (stored !== own?.text) known.set(partition, { text: stored, replaces: null });
      return stored;
    }
    if (own === undefined) return UNWRITTEN;
    if (!wroteMeanwhile) void store?.set(keyOf(partition), own.text, VERSION_TTL_MS);
    return own.text;
  }

  /** The version if it is known without reading the store; null where replicas share a store. */
  function versionNow(partition: string): string | null {
    // Nobody writes to what all callers share.
    if (readOnly || partition === 'shared') return UNWRITTEN;
    return store === null ? (known.get(partition)?.text ?? UNWRITTEN) : null;
  }

  return {
    versionNow,
    /** The version of a partition's last write; a promise where replicas share a store, which is read each time. */
    versionOf(partition: string): string | Promise<string> {
      const now = versionNow(partition);
      if (now !== null) return now;
      const read = reading.get(partition) ?? readVersion(partition).finally(() => reading.delete(partition));
      reading.set(partition, read);
      return read;
    },
    /** Gives a partition a new version, at once for this process. Resolves when other replicas see it too. */
    async wrote(partition: string): Promise<void> {
      const text = Math.floor(random() * Number.MAX_SAFE_INTEGER).toString(36);
      known.set(partition, { text, replaces: known.get(partition)?.text ?? null });
      // From now on, reads must not share a look-up that started before the write.
      reading.delete(partition);
      await store?.set(keyOf(partition), text, VERSION_TTL_MS);
    },
  };
}
