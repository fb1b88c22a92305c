import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { CACHES, type CacheName, unwatched, type WatchCache } from '../../kernel/caches.js';
import { spreadFields } from '../../kernel/selections.js';

/**
 * Bytes of heap per byte of a document as JSON. Measured: 90 short fields, 31 kB as JSON, take 190 kB with private
 * aliases, plan, one compiled program and the subgraph's own parse; an operation has at most four programs.
 */
const HEAP_PER_BYTE = 10;
/**
 * Bytes of heap per field of all operations with their fragments spread: text and JSON contain a fragment once,
 * programs once per spread. Measured: 600 for the first of at most four programs.
 */
const HEAP_PER_FIELD = 2500;
/** Bytes of heap for the smallest operation. Measured. */
const DOCUMENT_ENTRY_BYTES = 8192;
/** Bytes of heap for a map entry and its key, a hash. */
const TEXT_ENTRY_BYTES = 500;

/** A cache in the shape that Apollo Server expects. Apollo's own caches count an entry of 8 kB as 300 bytes. */
export interface OperationStore<V extends NonNullable<unknown>> {
  get(key: string): Promise<V | undefined>;
  has(key: string): boolean;
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<boolean>;
  /** Estimated heap of all entries, in bytes. */
  bytes(): number;
  clear(): void;
}

/** A store for parsed and validated documents and everything derived from them, by the hash of their text. */
export function createDocumentStore(watchCache: WatchCache = unwatched): OperationStore<DocumentNode> {
  const sizeOf = (document: DocumentNode) => {
    const text = document.loc?.source.body.length ?? 0;
    const written = HEAP_PER_BYTE * JSON.stringify(document).length;
    return Math.max(written, HEAP_PER_FIELD * spreadFields(document)) + 2 * text + DOCUMENT_ENTRY_BYTES;
  };
  // The library puts a hash of its schema before that of the text.
  return createStore('documents', watchCache, sizeOf, (key) => key.slice(-HASH_CHARACTERS));
}

/** Length of a SHA-256 in hexadecimal. */
const HASH_CHARACTERS = 64;

/** A store for the text of persisted operations, by its hash. */
export function createPersistedStore(watchCache: WatchCache = unwatched): OperationStore<string> {
  return createStore('persisted-operations', watchCache, (text) => 2 * text.length + TEXT_ENTRY_BYTES);
}

function createStore<V extends NonNullable<unknown>>(
  name: CacheName,
  watchCache: WatchCache,
  sizeCalculation: (value: V) => number,
  keyOf = (key: string) => key,
): OperationStore<V> {
  const cache = new LRUCache<string, V>({ maxSize: CACHES[name].boundBytes, sizeCalculation });
  watchCache(name, () => cache.calculatedSize);
  return {
    get: async (key) => cache.get(keyOf(key)),
    has: (key) => cache.has(keyOf(key)),
    async set(key, value) {
      cache.set(keyOf(key), value);
    },
    delete: async (key) => cache.delete(keyOf(key)),
    bytes: () => cache.calculatedSize,
    clear: () => cache.clear(),
  };
}
