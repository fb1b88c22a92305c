import { createHash } from 'node:crypto';
import { createLru } from '../../../runtime/stores/lru.js';
import type { Ports } from '../ports/ports.js';
import { CACHE_TIMES } from './cache-classes.js';

/**
 * Versions that change whenever a key writes something. A write invalidates the key's cache entries on every replica:
 * the version is part of each place in the cache, so a new version puts all older entries out of reach.
 */
export interface LastWrites {
  /** The version of a partition's last write; a promise where replicas share a store, which is read each time. */
  versionOf(partition: string): string | Promise<string>;
  /** The version if it is known without reading the store; null where replicas share a store. */
  versionNow(partition: string): string | null;
  /** Gives a partition a new version, at once for this process. Resolves when other replicas see it too. */
  wrote(partition: string): Promise<void>;
}

/** No entry of a single key outlives this, so no version is needed for longer. */
const VERSION_TTL_MS = CACHE_TIMES.search.staleMs;
const MAX_WRITERS = 10_000;
/** Bytes of heap for a fingerprint and two versions. */
const ENTRY_BYTES = 1200;
const UNWRITTEN = 'unwritten';

interface Version {
  readonly text: string;
  /** The version that it replaced: a store that still has that one has missed this write. */
  readonly replaces: string | null;
}

/** For a service that nobody can write to: the store is never read. */
export const NO_WRITES: LastWrites = {
  versionOf: () => UNWRITTEN,
  versionNow: () => UNWRITTEN,
  async wrote() {
    throw new Error('A service that is declared read-only was written to.');
  },
};

/** Versions in memory, and in the private store where replicas share one. They expire after ten minutes. */
export function createLastWrites(
  ports: Pick<Ports, 'clock' | 'random' | 'privateStore' | 'watchCache'>,
  prefix: string,
): LastWrites {
  const { clock, random, privateStore: store, watchCache } = ports;
  const perf = { now: () => clock.monotonicMs() };
  const known = createLru<Version>(MAX_WRITERS, { ttl: VERSION_TTL_MS, perf });
  watchCache?.('last-writes', () => ENTRY_BYTES * known.size);
  const reading = new Map<string, Promise<string>>();

  const keyOf = (partition: string) => `${prefix}:written-${createHash('sha256').update(partition).digest('hex')}`;

  /** The store's version counts unless it lacks this replica's: a store that was down or emptied gets that again. */
  async function readVersion(partition: string): Promise<string> {
    const before = known.get(partition);
    const stored = await store?.get(keyOf(partition));
    const own = known.get(partition);
    const wroteMeanwhile = own !== before;
    if (stored !== undefined && stored !== own?.replaces && !wroteMeanwhile) {
      if (stored !== own?.text) known.set(partition, { text: stored, replaces: null });
      return stored;
    }
    if (own === undefined) return UNWRITTEN;
    if (!wroteMeanwhile) void store?.set(keyOf(partition), own.text, VERSION_TTL_MS);
    return own.text;
  }

  function versionNow(partition: string): string | null {
    // Nobody writes to what all callers share.
    if (partition === 'shared') return UNWRITTEN;
    return store === null ? (known.get(partition)?.text ?? UNWRITTEN) : null;
  }

  return {
    versionNow,
    versionOf(partition) {
      const now = versionNow(partition);
      if (now !== null) return now;
      const read = reading.get(partition) ?? readVersion(partition).finally(() => reading.delete(partition));
      reading.set(partition, read);
      return read;
    },
    async wrote(partition) {
      const text = Math.floor(random() * Number.MAX_SAFE_INTEGER).toString(36);
      known.set(partition, { text, replaces: known.get(partition)?.text ?? null });
      // From now on, reads must not share a look-up that started before the write.
      reading.delete(partition);
      await store?.set(keyOf(partition), text, VERSION_TTL_MS);
    },
  };
}
