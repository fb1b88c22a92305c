import { once } from 'node:events';
import type { Log } from '../../kernel/log.js';
import type { Secret } from '../credentials/secret.js';
import { connectRedis } from '../redis/redis.js';
import { createRedisGuard, type RedisGuard } from '../redis/redis-guard.js';
import { createRedisLease, type InTurn } from '../redis/redis-lease.js';
import { createFileStore, createRedisStore, sweepFolder, type TextStore } from './text-store.js';

/** Where cache entries are stored beyond the memory of this process. */
export interface Stores {
  /** For entries that all callers share. */
  readonly shared: TextStore | null;
  /** For entries that belong to one key: never on disk. */
  readonly perKey: TextStore | null;
  /** The Redis that replicas share; null if this process is the only one. */
  readonly redis: RedisGuard | null;
  /** Lets replicas take turns at a piece of work; without Redis it is always this process's turn. */
  inTurn(name: string): InTurn;
  /**
   * Resolves once Redis is reachable or known to be away, after `FIRST_CONTACT_MS` at the latest: what a process does
   * before its first contact, it counts separately from the others (reliability 10.3).
   */
  firstContact(): Promise<void>;
  close(): Promise<void>;
}

/** How long a starting process waits for Redis. */
const FIRST_CONTACT_MS = 2_000;

/** Where cache entries outlive the process; with both places null, they are in its memory alone. */
export interface StoreOptions {
  /** Address of Redis; null for memory alone. */
  readonly cacheUrl: Secret | null;
  /** Folder that survives a restart; null for none. Unused with Redis, which survives a restart as well. */
  readonly cacheDir: string | null;
  readonly log: Log;
}

const ALONE = {
  perKey: null,
  redis: null,
  inTurn: () => (work: () => Promise<void>) => work(),
  firstContact: async () => {},
};

/** Opens the configured stores. A store that cannot be used is only reported in the log. */
export function openStores({ cacheUrl, cacheDir, log }: StoreOptions): Stores {
  if (cacheUrl !== null) return openShared(cacheUrl, log);
  if (cacheDir === null) return { ...ALONE, shared: null, close: async () => {} };
  void sweepFolder(cacheDir).catch(() => {});
  const files = createFileStore(cacheDir, log);
  return { ...ALONE, shared: files, close: () => files.close() };
}

function openShared(cacheUrl: Secret, log: Log): Stores {
  // The guard has its own time limit: a late reply to a command that it gave up on shows that the server is back.
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
      // Rejects if the connection is refused: the guard finds out the state of the server.
      await once(client, 'ready', { signal: AbortSignal.timeout(FIRST_CONTACT_MS) }).catch(() => {});
    },
    close: async () => client.disconnect(),
  };
}
