import { getHeapStatistics } from 'node:v8';

const MEBIBYTE = 1024 * 1024;
/** What a process needs besides its caches: the young generation, the program, official lists, requests in flight. */
const BESIDE_CACHES_BYTES = 640 * MEBIBYTE;
/** Heap in which all caches fit even when all are full. */
const ALL_CACHES_BYTES = 2048 * MEBIBYTE;
/** A cache smaller than this saves hardly any calls. */
const SMALLEST_SHARE = 0.05;

/** The fraction of each cache's full size for which this process's heap (`--max-old-space-size`) has room. */
export function heapShare(limitBytes = getHeapStatistics().heap_size_limit): number {
  return Math.max(SMALLEST_SHARE, Math.min(1, (limitBytes - BESIDE_CACHES_BYTES) / ALL_CACHES_BYTES));
}
