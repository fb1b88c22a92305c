import { randomUUID } from 'node:crypto';
import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { RedisGuard } from '../../../runtime/redis/redis-guard.js';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { type Clock, systemClock } from './clock.js';
import { createRedisQuotaStore, type QuotaStore } from './quota-store.js';
import { createUndiciTransport, type Transport } from './transport.js';

/** Everything the toolkit takes from the outside world. The rest is pure computation, and can run in a simulation. */
export interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
  /** Slow tier of the responses that all callers share; null for memory alone. */
  readonly sharedStore: TextStore | null;
  /** Slow tier of the responses that belong to one key; null for memory alone. */
  readonly privateStore: TextStore | null;
  /** Quota accounts that all replicas share; null when this process is the only one. */
  readonly sharedQuota: QuotaStore | null;
  /** Called for each of this service's caches, for metrics. */
  readonly watchCache?: WatchCache;
}

/** Chance, as the toolkit sees it: a number from 0 up to but excluding 1. The simulation has a seeded one. */
export type Random = () => number;

/** Connections to one service: as many as the bulkhead allows concurrent calls (reliability 3). */
const CONNECTIONS = 32;

/** A process's stores outside its memory. */
export interface SystemStores {
  readonly shared: TextStore | null;
  readonly perKey: TextStore | null;
  readonly redis: RedisGuard | null;
}

/** The real ports: the machine's clock and random numbers, sockets, and the given stores. One set per service. */
export function createSystemPorts({ shared, perKey, redis }: SystemStores, watchCache: WatchCache = unwatched): Ports {
  return {
    clock: systemClock,
    // Not for secrets: its numbers can be predicted.
    random: () => Math.random(),
    transport: createUndiciTransport({ connections: CONNECTIONS }),
    sharedStore: shared,
    privateStore: perKey,
    watchCache,
    sharedQuota: redis === null ? null : createRedisQuotaStore(redis, randomUUID),
  };
}
