import { getHeapStatistics } from 'node:v8';

const MEBIBYTE = 1024 * 1024;
/** What a process needs beside its caches: the young generation, the program, official lists, requests in flight. */
const BESIDE_CACHES_BYTES = 640 * MEBIBYTE;
/** With so much heap for them, all caches may be full at once. */
const ALL_CACHES_BYTES = 2048 * MEBIBYTE;
/** A cache that holds next to nothing costs calls. */
const SMALLEST_SHARE = 0.05;

/** The part of every cache's full size that the heap of this process has room for (`--max-old-space-size`). */
export function heapShare(limitBytes = getHeapStatistics().heap_size_limit): number {
  return Math.max(SMALLEST_SHARE, Math.min(1, (limitBytes - BESIDE_CACHES_BYTES) / ALL_CACHES_BYTES));
}
