import type { ServiceName } from './services.js';

const MIB = 1024 * 1024;

/**
 * Every cache that callers can fill, and the bytes of heap that it may take in one place: the gateway, each service, or
 * the work-study service. `docs/operators.md` has the same table with the rules of the estimates.
 */
export const CACHES = {
  documents: { where: 'gateway', boundBytes: 64 * MIB },
  plans: { where: 'gateway', boundBytes: 32 * MIB },
  'persisted-operations': { where: 'gateway', boundBytes: 16 * MIB },
  'direct-operations': { where: 'gateway', boundBytes: 48 * MIB },
  'direct-responses': { where: 'gateway', boundBytes: 32 * MIB },
  'direct-requests': { where: 'gateway', boundBytes: 16 * MIB },
  'direct-selections': { where: 'gateway', boundBytes: 8 * MIB },
  logins: { where: 'gateway', boundBytes: 16 * MIB },
  sessions: { where: 'gateway', boundBytes: 128 * MIB },
  'subgraph-operations': { where: 'service', boundBytes: 32 * MIB },
  entries: { where: 'service', boundBytes: 192 * MIB },
  'unknown-ids': { where: 'service', boundBytes: 11 * MIB },
  'failed-refreshes': { where: 'service', boundBytes: 10 * MIB },
  'last-writes': { where: 'service', boundBytes: 12 * MIB },
  'quota-accounts': { where: 'service', boundBytes: 40 * MIB },
  'reported-quotas': { where: 'service', boundBytes: 10 * MIB },
  'export-rows': { where: 'work-study', boundBytes: 24 * MIB },
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
