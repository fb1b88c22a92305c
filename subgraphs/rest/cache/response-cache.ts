import { createHash } from 'node:crypto';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { type CacheEntry, type Call, type CallResponse, parseResponse } from '../call/call.js';
import type { UpstreamRequest } from '../call/upstream.js';
import type { Ports } from '../ports/ports.js';
import type { Origin } from '../shapes/shape.js';
import { CACHE_TIMES, FRESHNESS_JITTER } from './cache-classes.js';
import { readCacheEntry, writeCacheEntry } from './cache-entry.js';
import { identityIn } from './identity.js';
import { createLastWrites, NO_WRITES } from './last-writes.js';
import { createMemoryTier, type MemoryTier } from './memory-tier.js';

/** Both tiers of one service's cache: memory in front, a store behind it. */
export interface ResponseCache {
  /**
   * The call with its place in the cache as its identity. `forget` changes the places of a key: what was stored before,
   * or is still in flight, is then out of reach.
   */
  place(call: Call): Call | Promise<Call>;
  /** The version of a key's last write, if it is known without Redis; else null. */
  versionNow(partition: string): string | null;
  /** The place of a request; null where it takes reading Redis, and for a request that has no address. */
  placeNow(partition: string, request: UpstreamRequest<unknown>): string | null;
  /** The entry in memory at a place; marks it as recently used. */
  refresh(place: string): CacheEntry | undefined;
  /** The entry of a call in memory. */
  recall(call: Call): CacheEntry | undefined;
  /** The call's entry in the store, which is then put into memory too; null without a store. Equal reads coalesce. */
  load(call: Call): Promise<CacheEntry | undefined> | null;
  /** Stores a response as its class and its service allow. */
  put(call: Call, response: CallResponse): void;
  /** Invalidates all entries of a key, because it wrote something. Resolves when that holds for all replicas. */
  forget(partition: string): Promise<void>;
}

interface ResponseCacheOptions {
  /** Separates services and addresses that share a store. */
  readonly prefix: string;
  readonly origin: Origin;
  /** Whether nobody can write to the service. */
  readonly readOnly: boolean;
}

/** One service's cache over the stores of the ports. */
export function createResponseCache(ports: Ports, { prefix, origin, readOnly }: ResponseCacheOptions): ResponseCache {
  const { clock, random } = ports;
  const memory: MemoryTier = createMemoryTier(clock, ports.watchCache);
  const loads = new Map<string, Promise<CacheEntry | undefined>>();
  const writes = readOnly ? NO_WRITES : createLastWrites(ports, prefix);

  // The private store evicts entries when it is full; a folder is bounded only by the number of distinct requests.
  const storeOf = ({ partition, request }: Call): TextStore | null =>
    partition === 'shared' && request.unbounded !== true ? ports.sharedStore : ports.privateStore;

  async function read(call: Call, store: TextStore): Promise<CacheEntry | undefined> {
    const text = await store.get(storeKey(prefix, call));
    // An equal call may have been answered while the store was read; the store's entry is then older.
    const newer = memory.get(call.identity);
    if (newer !== undefined) return newer;
    const entry = text === undefined ? undefined : readCacheEntry(text);
    if (entry === undefined || entry.staleUntilMs <= clock.wallMs() || !isReadable(entry, call, origin))
      return undefined;
    memory.set(call.identity, entry);
    return entry;
  }

  return {
    versionNow: (partition) => writes.versionNow(partition),
    placeNow(partition, request) {
      const version = writes.versionNow(partition);
      if (version === null) return null;
      try {
        return placed(version, identityIn(partition, request));
      } catch {
        // The stages refuse it.
        return null;
      }
    },
    refresh: (place) => memory.get(place),
    place(call) {
      const placedBy = (version: string): Call => ({ ...call, identity: placed(version, call.identity) });
      const version = writes.versionOf(call.partition);
      return typeof version === 'string' ? placedBy(version) : version.then(placedBy);
    },
    recall: (call) => memory.get(call.identity),
    load(call) {
      const store = storeOf(call);
      if (store === null) return null;
      const known = loads.get(call.identity);
      if (known !== undefined) return known;
      const load = read(call, store).finally(() => loads.delete(call.identity));
      loads.set(call.identity, load);
      return load;
    },
    put(call, response) {
      if (response.cacheControl.noStore || call.request.cache === 'never') return;
      const times = CACHE_TIMES[response.unknown ? 'unknown' : call.request.cache];
      const storedAtMs = clock.wallMs();
      const jitter = 1 + FRESHNESS_JITTER * (2 * random() - 1);
      const freshUntilMs = storedAtMs + (response.cacheControl.noCache ? 0 : times.freshMs * jitter);
      const revalidateUntilMs = Math.max(freshUntilMs, storedAtMs + times.revalidateMs);
      const staleUntilMs = Math.max(freshUntilMs, storedAtMs + times.staleMs);
      const entry = { response, storedAtMs, freshUntilMs, revalidateUntilMs, staleUntilMs };
      memory.set(call.identity, entry);
      // A not-found entry lives for a minute, which is not worth a file.
      if (!response.unknown && response.bytes <= MAX_STORED_BYTES)
        void storeOf(call)?.set(storeKey(prefix, call), writeCacheEntry(entry), staleUntilMs - storedAtMs);
    },
    forget: (partition) => writes.wrote(partition),
  };
}

/**
 * Larger responses stay in memory: writing, sending and reading them would block the event loop, and Redis, which has
 * 50 ms for any command.
 */
const MAX_STORED_BYTES = 2 * 1024 * 1024;

/** A place in the cache: the version of its key's last write, and the identity of the call, including its partition. */
function placed(version: string, identity: string): string {
  return `${version} ${identity}`;
}

/** Entries may come from another version of this program, so they are checked like a service's responses. */
function isReadable({ response }: CacheEntry, { request }: Call, origin: Origin): boolean {
  if (response.unknown) return request.unknown === 'null';
  try {
    parseResponse(response, request, origin);
    return true;
  } catch {
    return false;
  }
}

/** Keys in the store are short and reveal nothing about the request. */
function storeKey(prefix: string, { identity }: Call): string {
  return `${prefix}:${createHash('sha256').update(identity).digest('hex')}`;
}
