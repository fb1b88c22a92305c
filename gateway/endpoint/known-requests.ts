import { LRUCache } from 'lru-cache';
import { CACHES, type WatchCache } from '../../kernel/caches.js';
import type { MemoryRequest } from '../memory/memory.js';

/** Bodies that were answered without an error, each with its request, which was parsed, checked and allowed then. */
export interface KnownRequests {
  /** The request of a body that is identical byte for byte; undefined if none was answered lately. */
  find(body: Buffer): MemoryRequest | undefined;
  remember(body: Buffer, request: MemoryRequest): void;
}

/** Bytes of heap that one entry may take. */
const MAX_ENTRY_BYTES = 512 * 1024;
/** Bytes of heap per byte of body: the body itself, and what was read from it. */
const HEAP_PER_BYTE = 24;
const REQUEST_BYTES = 500;

/** Creates it empty. */
export function createKnownRequests(watchCache: WatchCache): KnownRequests {
  const maxSize = CACHES['direct-requests'].boundBytes;
  const known = new LRUCache<string, MemoryRequest>({ maxSize, maxEntrySize: MAX_ENTRY_BYTES });
  watchCache('direct-requests', () => known.calculatedSize);
  return {
    find(body) {
      const text = textOf(body);
      const request = known.peek(text);
      // `peek` is cheaper than `get`, which marks an entry as recently used: doing that now and then is enough.
      return request?.isRecent(Date.now()) === true ? request : known.get(text);
    },
    remember: (body, request) =>
      void known.set(textOf(body), request, { size: REQUEST_BYTES + HEAP_PER_BYTE * body.length }),
  };
}

/** One character per byte, so that equal strings mean equal bytes. */
function textOf(body: Buffer): string {
  return body.toString('latin1');
}
