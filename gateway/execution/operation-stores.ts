import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Heap, in bytes, for parsed documents and everything derived from them. */
export const DOCUMENT_BYTES = 64 * 1024 * 1024;
/** Heap, in bytes, for the text of persisted operations. */
export const PERSISTED_BYTES = 16 * 1024 * 1024;
/**
 * Bytes of heap per byte of a document as JSON. Measured: 90 short fields, 31 kB as JSON, take 190 kB with private
 * aliases, plan, one compiled program and the subgraph's own parse; an operation has at most four programs.
 */
const HEAP_PER_BYTE = 10;
/** Bytes of heap for the smallest operation. Measured. */
const DOCUMENT_ENTRY_BYTES = 8192;
/** Bytes of heap for a map entry and its key, a hash. */
const TEXT_ENTRY_BYTES = 500;

/** A cache in the shape that Apollo Server expects. Its own caches count an entry of 8 kB as 300 bytes. */
export interface OperationStore<V extends NonNullable<unknown>> {
  get(key: string): Promise<V | undefined>;
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<boolean>;
  /** Estimated heap of all entries, in bytes. */
  bytes(): number;
}

/** A store for parsed and validated documents, by the hash of their text. */
export function createDocumentStore(): OperationStore<DocumentNode> {
  return createStore(DOCUMENT_BYTES, (document) => {
    const text = document.loc?.source.body.length ?? 0;
    return HEAP_PER_BYTE * JSON.stringify(document).length + 2 * text + DOCUMENT_ENTRY_BYTES;
  });
}

/** A store for the text of persisted operations, by its hash. */
export function createPersistedStore(): OperationStore<string> {
  return createStore(PERSISTED_BYTES, (text) => 2 * text.length + TEXT_ENTRY_BYTES);
}

function createStore<V extends NonNullable<unknown>>(
  maxSize: number,
  sizeCalculation: (value: V) => number,
): OperationStore<V> {
  const cache = new LRUCache<string, V>({ maxSize, sizeCalculation });
  return {
    get: async (key) => cache.get(key),
    async set(key, value) {
      cache.set(key, value);
    },
    delete: async (key) => cache.delete(key),
    bytes: () => cache.calculatedSize,
  };
}
