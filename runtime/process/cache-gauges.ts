import { Gauge, type Registry } from 'prom-client';
import { CACHES, type CacheName, type CachePlace, type WatchCaches } from '../../schema/caches.js';

interface Watched {
  readonly labels: { readonly cache: CacheName; readonly where: CachePlace };
  bytes(): number;
}

/** Gauges of all caches and their bounds. A cache's size is computed only when the gauge is read. */
export function createCacheGauges(registers: Registry[]): WatchCaches {
  const watched = new Map<string, Watched>();
  const labelNames = ['cache', 'where'];
  const held = new Gauge({
    name: 'passerelle_cache_bytes',
    help: 'Estimated bytes of heap that a cache takes.',
    labelNames,
    registers,
    collect() {
      for (const { labels, bytes } of watched.values()) held.set(labels, bytes());
    },
  });
  const bound = new Gauge({
    name: 'passerelle_cache_bound_bytes',
    help: 'Bytes of heap that a cache may take.',
    labelNames,
    registers,
  });
  return (where) => (cache, bytes) => {
    const labels = { cache, where };
    watched.set(`${where} ${cache}`, { labels, bytes });
    bound.set(labels, CACHES[cache].boundBytes);
  };
}
