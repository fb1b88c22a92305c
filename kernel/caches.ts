import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';
import type { ServiceName } from './services.js';

const MIB = 1024 * 1024;
/** What a process needs besides its caches: the young generation, the program, official lists, requests in flight. */
const BESIDE_CACHES_BYTES = 640 * MIB;
/** Heap in which all caches fit even when all are full. */
const ALL_CACHES_BYTES = 2048 * MIB;
/** A cache smaller than this saves hardly any calls. */
const SMALLEST_SHARE = 0.05;

/** The fraction of each cache's full size for which this process's heap (`--max-old-space-size`) has room. */
export function heapShare(limitBytes = heapLimit()): number {
  return Math.max(SMALLEST_SHARE, Math.min(1, (limitBytes - BESIDE_CACHES_BYTES) / ALL_CACHES_BYTES));
}

/** The most bytes of heap that V8 gives this process: without a flag, half of a container's memory. */
export function heapLimit(): number {
  return getHeapStatistics().heap_size_limit;
}

/** Mebibytes in bytes, or the part of them for which the heap has room. */
const inHeap = (mebibytes: number) => Math.floor(mebibytes * MIB * heapShare());

/**
 * Every cache that callers can fill, where it exists (in the gateway, or once per service), and the most bytes of heap
 * it may take there. Caches bounded by a number of entries do not shrink with the heap.
 * `docs/bounds.md` has the same table.
 */
export const CACHES = {
  plans: { where: 'gateway', boundBytes: inHeap(32) },
  'direct-responses': { where: 'gateway', boundBytes: inHeap(32) },
  'direct-requests': { where: 'gateway', boundBytes: inHeap(16) },
  logins: { where: 'gateway', boundBytes: inHeap(16) },
  sessions: { where: 'gateway', boundBytes: inHeap(128) },
  'subgraph-operations': { where: 'service', boundBytes: inHeap(32) },
  entries: { where: 'service', boundBytes: inHeap(192) },
  'unknown-ids': { where: 'service', boundBytes: 11 * MIB },
  'failed-refreshes': { where: 'service', boundBytes: 10 * MIB },
  'siret-rows': { where: 'service', boundBytes: inHeap(16) },
  'broken-records': { where: 'service', boundBytes: MIB },
  'refused-keys': { where: 'service', boundBytes: 13 * MIB },
  'last-writes': { where: 'service', boundBytes: 12 * MIB },
  'quota-accounts': { where: 'service', boundBytes: 40 * MIB },
} as const satisfies Readonly<Record<string, { where: 'gateway' | 'service'; boundBytes: number }>>;

/** A cache's name in metrics and in the table for operators. */
export type CacheName = keyof typeof CACHES;

/** Where a cache is. */
export type CachePlace = 'gateway' | ServiceName;

/** Called when a cache is created. `bytes` returns its current estimated heap; it is called when metrics are read. */
export type WatchCache = (name: CacheName, bytes: () => number) => void;

/** Returns the watch for the caches of one place. */
export type WatchCaches = (place: CachePlace) => WatchCache;

/** For caches without metrics. */
export const unwatched: WatchCache = () => {};

/** How a cache of the table measures and drops its entries; without `sizeCalculation`, each is set with its `size`. */
type CacheRules<Value> = Pick<
  LRUCache.OptionsSizeLimit<string, Value, unknown>,
  'sizeCalculation' | 'maxEntrySize' | 'dispose' | 'noDisposeOnSet'
>;

/** Creates a cache of the table, empty: within its bytes of heap, and watched. */
export function createCache<Value extends NonNullable<unknown>>(
  name: CacheName,
  watchCache: WatchCache,
  rules: CacheRules<Value> = {},
): LRUCache<string, Value> {
  const cache = new LRUCache<string, Value>({ maxSize: CACHES[name].boundBytes, ...rules });
  watchCache(name, () => cache.calculatedSize);
  return cache;
}

/**
 * A map with a bounded number of entries: the least recently used is evicted first. It grows as it fills; the library's
 * own `max` allocates room for all entries at once, in each process and for each service. It reads the clock at each
 * access; the library by default caches the time for a moment, on a timer of its own.
 */
export function createLru<Value extends object | number>(
  entries: number,
  more: Pick<LRUCache.OptionsTTLLimit<string, Value, unknown>, 'perf' | 'dispose'> & { readonly ttl?: number } = {},
): LRUCache<string, Value> {
  return new LRUCache({ maxSize: entries, sizeCalculation: () => 1, ttlResolution: 0, ...more });
}

/**
 * A pure function of one object, computed once for each: a cached object is the same for every caller, and what follows
 * from it goes with it. Results are shared: nobody may change them.
 */
export function oncePerObject<T extends object, V>(of: (object: T) => V): (object: T) => V {
  const known = new WeakMap<T, { readonly value: V }>();
  return (object) => {
    const found = known.get(object);
    if (found !== undefined) return found.value;
    const value = of(object);
    known.set(object, { value });
    return value;
  };
}

/** A function that looks for something once a second at most: what it finds serves all who ask meanwhile. */
export function oncePerSecond<T>(find: () => T): () => T {
  let latest: { readonly found: T; readonly atMs: number } | null = null;
  return () => {
    const atMs = performance.now();
    if (latest === null || atMs - latest.atMs >= 1_000) latest = { found: find(), atMs };
    return latest.found;
  };
}
