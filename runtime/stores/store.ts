import { once } from 'node:events';
import type { Log } from '../../schema/log.js';
import type { Secret } from '../credentials/secret.js';
import { connectRedis } from '../redis/redis.js';
import { createRedisGuard, type RedisGuard } from '../redis/redis-guard.js';
import { createRedisLease, type InTurn } from '../redis/redis-lease.js';
import { createFileAdapter, sweepFolder } from './file-adapter.js';
import { createKeyvStore } from './keyv-store.js';
import { createRedisStore } from './redis-store.js';
import type { TextStore } from './text-store.js';

/** Where cache entries live beyond the memory of this process. */
export interface Stores {
  /** For what all callers share. */
  readonly shared: TextStore | null;
  /** For what belongs to one key: never on disk. */
  readonly perKey: TextStore | null;
  /** What replicas share; null when this process is the only one. */
  readonly redis: RedisGuard | null;
  /** Turns of the replicas at a piece of work; without Redis it is always this process's turn. */
  inTurn(name: string): InTurn;
  /**
   * Resolves when Redis is within reach, or is known to be away: what a process does before its first contact, it counts
   * apart from the others (reliability 10.3).
   */
  firstContact(): Promise<void>;
  close(): Promise<void>;
}

/** A process that starts waits no longer for Redis. */
const FIRST_CONTACT_MS = 2_000;

/** Where cache entries outlive the process; in its memory alone when both places are null. */
export interface StoreOptions {
  /** Address of Redis; null for memory alone. */
  readonly cacheUrl: Secret | null;
  /** Folder that survives a restart; null stores nothing there. Not used beside Redis, which survives it as well. */
  readonly cacheDir: string | null;
  readonly log: Log;
}

const ALONE = {
  perKey: null,
  redis: null,
  inTurn: () => (work: () => Promise<void>) => work(),
  firstContact: async () => {},
};

/** Opens the configured stores. One that cannot be used is only reported to the log. */
export function openStores({ cacheUrl, cacheDir, log }: StoreOptions): Stores {
  if (cacheUrl !== null) return openShared(cacheUrl, log);
  if (cacheDir === null) return { ...ALONE, shared: null, close: async () => {} };
  void sweepFolder(cacheDir).catch(() => {});
  const files = createKeyvStore(createFileAdapter(cacheDir, log));
  return { ...ALONE, shared: files, close: () => files.close() };
}

function openShared(cacheUrl: Secret, log: Log): Stores {
  // The guard watches the time itself: a late reply to a command it gave up shows that the server is back.
  const client = connectRedis(cacheUrl, log, { enableOfflineQueue: false, commandTimeout: undefined });
  const redis = createRedisGuard(client, log);
  const store = createRedisStore(redis);
  return {
    shared: store,
    perKey: store,
    redis,
    inTurn: (name) => createRedisLease({ redis, name }),
    async firstContact() {
      if (client.status === 'ready') return;
      // Rejects when the connection is refused: how things are is for the guard to find out.
      await once(client, 'ready', { signal: AbortSignal.timeout(FIRST_CONTACT_MS) }).catch(() => {});
    },
    close: async () => client.disconnect(),
  };
}
