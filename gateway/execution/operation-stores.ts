import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Bytes of heap that parsed documents, and all that hangs on them, may take. */
export const DOCUMENT_BYTES = 64 * 1024 * 1024;
/** Bytes of heap that texts of persisted operations may take. */
export const PERSISTED_BYTES = 16 * 1024 * 1024;
/**
 * Heap for each byte of a document as JSON. Measured: 90 short fields, 31 kB as JSON, take 190 kB with their aliases
 * made private, their plan, one program and the subgraph's parse; an operation keeps at most four programs.
 */
const HEAP_PER_BYTE = 10;
/** What the smallest operation takes. Measured. */
const DOCUMENT_ENTRY_BYTES = 8192;
/** An entry of the map with its key, a hash. */
const TEXT_ENTRY_BYTES = 500;

/** A cache in the form that Apollo Server takes, which has its own for both but counts entries of 8 kB as 300 bytes. */
export interface OperationStore<V extends NonNullable<unknown>> {
  get(key: string): Promise<V | undefined>;
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<boolean>;
  /** Bytes of heap that its entries are taken for. */
  bytes(): number;
}

/** Documents that were parsed and found valid, by the hash of their text. */
export function createDocumentStore(): OperationStore<DocumentNode> {
  return createStore(DOCUMENT_BYTES, (document) => {
    const text = document.loc?.source.body.length ?? 0;
    return HEAP_PER_BYTE * JSON.stringify(document).length + 2 * text + DOCUMENT_ENTRY_BYTES;
  });
}

/** Texts of operations that clients name by their hash. */
export function createPersistedStore(): OperationStore<string> {
  return createStore(PERSISTED_BYTES, (text) => 2 * text.length + TEXT_ENTRY_BYTES);
}

function createStore<V extends NonNullable<unknown>>(
  maxSize: number,
  sizeCalculation: (value: V) => number,
): OperationStore<V> {
  const kept = new LRUCache<string, V>({ maxSize, sizeCalculation });
  return {
    get: async (key) => kept.get(key),
    async set(key, value) {
      kept.set(key, value);
    },
    delete: async (key) => kept.delete(key),
    bytes: () => kept.calculatedSize,
  };
}
