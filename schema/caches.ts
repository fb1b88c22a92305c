import { heapShare } from './heap-share.js';
import type { ServiceName } from './services.js';

const MIB = 1024 * 1024;

/** Mebibytes in bytes, or the part of them that the heap has room for. */
const inHeap = (mebibytes: number) => Math.floor(mebibytes * MIB * heapShare());

/**
 * Every cache that callers can fill, and the bytes of heap that it may take in one place: the gateway, each service, or
 * the work-study service. Those that are bounded by entries take the same however small the heap is.
 * `docs/operators.md` has the same table with the rules of the estimates.
 */
export const CACHES = {
  documents: { where: 'gateway', boundBytes: inHeap(64) },
  plans: { where: 'gateway', boundBytes: inHeap(32) },
  'persisted-operations': { where: 'gateway', boundBytes: inHeap(16) },
  'direct-operations': { where: 'gateway', boundBytes: inHeap(48) },
  'direct-responses': { where: 'gateway', boundBytes: inHeap(32) },
  'direct-requests': { where: 'gateway', boundBytes: inHeap(16) },
  'direct-selections': { where: 'gateway', boundBytes: inHeap(8) },
  'subgraph-responses': { where: 'gateway', boundBytes: inHeap(32) },
  'known-needs': { where: 'gateway', boundBytes: inHeap(4) },
  logins: { where: 'gateway', boundBytes: inHeap(16) },
  sessions: { where: 'gateway', boundBytes: inHeap(128) },
  'subgraph-operations': { where: 'service', boundBytes: inHeap(32) },
  entries: { where: 'service', boundBytes: inHeap(192) },
  'unknown-ids': { where: 'service', boundBytes: 11 * MIB },
  'failed-refreshes': { where: 'service', boundBytes: 10 * MIB },
  'refused-keys': { where: 'service', boundBytes: 10 * MIB },
  'last-writes': { where: 'service', boundBytes: 12 * MIB },
  'quota-accounts': { where: 'service', boundBytes: 40 * MIB },
  'reported-quotas': { where: 'service', boundBytes: 10 * MIB },
  'export-rows': { where: 'work-study', boundBytes: inHeap(24) },
  'commune-requests': { where: 'work-study', boundBytes: 5 * MIB },
  'used-communes': { where: 'work-study', boundBytes: MIB },
} as const satisfies Readonly<Record<string, { where: 'gateway' | 'service' | 'work-study'; boundBytes: number }>>;

/** A cache as metrics and the table for operators name it. */
export type CacheName = keyof typeof CACHES;

/** Where a cache is. */
export type CachePlace = 'gateway' | ServiceName;

/** Hears of a cache when it is created. `bytes` is its estimated heap now; it is called when metrics are read. */
export type WatchCache = (name: CacheName, bytes: () => number) => void;

/** For the caches of one place. */
export type WatchCaches = (place: CachePlace) => WatchCache;

/** Nobody reads metrics of these caches. */
export const unwatched: WatchCache = () => {};
