import type { Asked } from './asked.js';

/** At most so many answers are kept beside the editor's own text, and so many bytes of JSON together (GraphiQL keeps its own). */
const KEPT = 3;
const KEPT_BYTES = 20 * 1024 * 1024;

/** The last answer of each tab: the raw result that the table, the map and the trace read. */
export interface Captures {
  of(tab: string): Asked | undefined;
  keep(tab: string, asked: Asked): void;
  drop(tab: string): void;
  /** Changes with every change, for watching. */
  version(): number;
  watch(listener: () => void): () => void;
}

/** Keeps the newest answers; the oldest are forgotten first, the newest is kept whatever its size. */
export function createCaptures(): Captures {
  const kept = new Map<string, Asked>();
  const listeners = new Set<() => void>();
  let version = 0;
  const changed = (): void => {
    version += 1;
    for (const listener of listeners) listener();
  };
  return {
    of: (tab) => kept.get(tab),
    keep(tab, asked) {
      kept.delete(tab);
      kept.set(tab, asked);
      for (const oldest of [...kept.keys()].slice(0, -1)) {
        if (kept.size <= KEPT && bytesOf(kept) <= KEPT_BYTES) break;
        kept.delete(oldest);
      }
      changed();
    },
    drop(tab) {
      if (kept.delete(tab)) changed();
    },
    version: () => version,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function bytesOf(kept: ReadonlyMap<string, Asked>): number {
  let bytes = 0;
  for (const asked of kept.values()) bytes += asked.bytes;
  return bytes;
}
