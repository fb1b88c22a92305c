import { LRUCache } from 'lru-cache';

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
