import { LRUCache } from 'lru-cache';
import { createLru } from '../../../runtime/stores/lru.js';
import { CACHES, unwatched, type WatchCache } from '../../../schema/caches.js';
import type { CacheEntry } from '../call/call.js';
import type { Clock } from '../ports/clock.js';

/** Parsed JSON takes about three times the bytes of its text. */
const HEAP_PER_BYTE = 3;
/** Ids that a service does not have get a bound of their own, because callers can invent any number of them. */
const MAX_UNKNOWN = 10_000;
/** What an entry costs besides its body: a key of at most some 350 characters, times, account and place in the map. */
const ENTRY_BYTES = 1100;

/** How often expired entries are evicted, including those that a write of their key put out of reach. */
const SWEEP_MS = 60_000;

/** Replaced each time its entry grows: the library measures a value again only when it is a different object. */
interface CacheSlot {
  readonly entry: CacheEntry;
}

/** The fast tier of the cache: synchronous, bounded in bytes, gone with the process. */
export interface MemoryTier {
  get(identity: string): CacheEntry | undefined;
  set(identity: string, entry: CacheEntry): void;
  /** Estimated bytes of heap that its entries take. */
  bytes(): number;
}

/** A memory tier bounded in bytes (`entries`), with room for another 10,000 not-found entries. */
export function createMemoryTier(clock: Clock, watchCache: WatchCache = unwatched): MemoryTier {
  const perf = { now: () => clock.monotonicMs() };
  const leave = ({ part }: CacheEntry) => part?.evicted();
  const maxSize = CACHES.entries.boundBytes;
  const dispose = ({ entry }: CacheSlot) => leave(entry);
  const responses = new LRUCache<string, CacheSlot>({ maxSize, ttlResolution: 0, perf, dispose });
  const unknown = createLru<CacheEntry>(MAX_UNKNOWN, { perf, dispose: leave });
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

  /** Does not bring back an entry that was evicted, or refreshed with another response. */
  function grow(identity: string, entry: CacheEntry): void {
    if (responses.peek(identity)?.entry === entry) {
      const size = heapBytes(entry);
      responses.set(identity, { entry }, { size, noUpdateTTL: true, noDisposeOnSet: true });
    }
  }

  return {
    bytes: () => responses.calculatedSize + ENTRY_BYTES * unknown.size,
    get: (identity) => responses.get(identity)?.entry ?? unknown.get(identity),
    set(identity, entry) {
      sweep();
      const ttl = Math.max(1, entry.staleUntilMs - clock.wallMs());
      if (entry.response.unknown) {
        responses.delete(identity);
        unknown.set(identity, entry, { ttl });
      } else {
        unknown.delete(identity);
        moveParts(responses.peek(identity)?.entry, entry);
        responses.set(identity, { entry }, { ttl, size: heapBytes(entry) });
        entry.response.account.onGrowth = () => grow(identity, entry);
      }
    },
  };
}

/** What was made from a response stays valid when the service confirms it: its part moves to the new entry. */
function moveParts(old: CacheEntry | undefined, entry: CacheEntry): void {
  if (old?.part === undefined || old.response !== entry.response) return;
  entry.part = old.part;
  delete old.part;
  entry.part.confirmed(entry);
}

function heapBytes({ response }: CacheEntry): number {
  return HEAP_PER_BYTE * response.bytes + response.account.bytes + ENTRY_BYTES;
}
