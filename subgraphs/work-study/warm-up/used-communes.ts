import { unwatched, type WatchCache } from '../../../kernel/caches.js';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { isInseeCode } from '../../codes/insee.js';
import type { Clock } from '../../rest/ports/clock.js';

/** The communes that missions led to, so that they can be fetched ahead of queries at the next start. */
export interface UsedCommunes {
  /** Records that a mission led to this commune. */
  note(insee: string): void;
  /** Communes recorded by earlier runs and other replicas, and those noted here, most recently used last. */
  load(): Promise<readonly string[]>;
  /** Stores what is not stored yet. */
  close(): Promise<void>;
}

interface UsedCommunesOptions {
  /** Null stores nothing beyond this process. */
  readonly store: TextStore | null;
  /** Name of the list in the store. */
  readonly key: string;
  readonly clock: Clock;
  readonly watchCache?: WatchCache | undefined;
}

/**
 * The most recently used of 35,000 communes. Fetching this many at the pace of `run-warm-up.ts` takes three quarters of
 * an hour.
 */
const MAX_COMMUNES = 5000;
/** Bytes of heap for a code. */
const COMMUNE_BYTES = 100;
/** A week, as long as reference data may be served stale: an older list says nothing about today's use. */
const LIST_TTL_MS = 7 * 24 * 60 * 60 * 1000;
/** How long new communes are collected before they are written together. */
const WRITE_AFTER_MS = 60_000;

/** Remembers at most 5,000 communes for a week. Without a store it remembers none. */
export function createUsedCommunes({ store, key, clock, watchCache = unwatched }: UsedCommunesOptions): UsedCommunes {
  /** A set keeps insertion order. */
  const used = new Set<string>();
  watchCache('used-communes', () => COMMUNE_BYTES * used.size);
  let cancelSave: (() => void) | null = null;

  async function load(): Promise<readonly string[]> {
    const text = (await store?.get(key)) ?? '';
    const left = text.split(' ').filter((code) => isInseeCode(code) && !used.has(code));
    return [...left, ...used].slice(-MAX_COMMUNES);
  }

  /**
   * Merges what other replicas wrote meanwhile. If two write at once, a few codes are lost, which does no harm.
   */
  async function save(): Promise<void> {
    cancelSave = null;
    const codes = await load();
    if (codes.length > 0) await store?.set(key, codes.join(' '), LIST_TTL_MS);
  }

  return {
    note(insee) {
      if (store === null) return;
      const known = used.delete(insee);
      used.add(insee);
      if (known) return;
      const [oldest] = used;
      if (used.size > MAX_COMMUNES && oldest !== undefined) used.delete(oldest);
      cancelSave ??= clock.after(WRITE_AFTER_MS, () => void save());
    },
    load,
    async close() {
      if (cancelSave === null) return;
      cancelSave();
      await save();
    },
  };
}
