import type { QueryResult } from './query-result.js';

/** How many results are held in memory, besides the text in GraphiQL's own editor. */
const MAX_CAPTURES = 3;
/** Limit on their total size, in bytes of JSON. */
const MAX_CAPTURE_BYTES = 20 * 1024 * 1024;

/** The last result of each tab, for table, map and trace. */
export interface Captures {
  of(tab: string): QueryResult | undefined;
  set(tab: string, result: QueryResult): void;
  delete(tab: string): void;
  /** Whether the tab's result was evicted, and there has been none since. */
  isEvicted(tab: string): boolean;
  /** Protects the tab's result from eviction until the returned function is called. */
  pin(tab: string): () => void;
  /** Increases with every change. */
  version(): number;
  watch(listener: () => void): () => void;
}

/** Creates an empty set. The oldest are evicted first; the newest, whatever its size, and pinned ones stay. */
export function createCaptures(): Captures {
  const results = new Map<string, QueryResult>();
  const evicted = new Set<string>();
  const pinned = new Set<string>();
  const listeners = new Set<() => void>();
  let version = 0;
  const changed = (): void => {
    version += 1;
    for (const listener of listeners) listener();
  };
  return {
    of: (tab) => results.get(tab),
    set(tab, result) {
      results.delete(tab);
      results.set(tab, result);
      evicted.delete(tab);
      for (const oldest of [...results.keys()].slice(0, -1)) {
        if (results.size <= MAX_CAPTURES && bytesOf(results) <= MAX_CAPTURE_BYTES) break;
        if (pinned.has(oldest)) continue;
        results.delete(oldest);
        evicted.add(oldest);
      }
      changed();
    },
    delete(tab) {
      if (results.delete(tab) || evicted.delete(tab)) changed();
    },
    isEvicted: (tab) => evicted.has(tab),
    pin(tab) {
      pinned.add(tab);
      return () => pinned.delete(tab);
    },
    version: () => version,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function bytesOf(results: ReadonlyMap<string, QueryResult>): number {
  let bytes = 0;
  for (const result of results.values()) bytes += result.bytes;
  return bytes;
}
