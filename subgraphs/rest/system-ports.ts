import { randomUUID } from 'node:crypto';
import type { RedisGuard } from '../../runtime/redis/redis-guard.js';
import type { TextStore } from '../../runtime/stores/text-store.js';
import { unwatched, type WatchCache } from '../../schema/caches.js';
import { systemClock } from './ports/clock.js';
import type { Ports } from './ports/ports.js';
import { systemRandom } from './ports/random.js';
import { createUndiciTransport } from './ports/undici-transport.js';
import { createRedisQuotaStore } from './quota/redis-quota-store.js';

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
    random: systemRandom,
    transport: createUndiciTransport({ connections: CONNECTIONS }),
    sharedStore: shared,
    privateStore: perKey,
    watchCache,
    sharedQuota: redis === null ? null : createRedisQuotaStore(redis, randomUUID),
  };
}
