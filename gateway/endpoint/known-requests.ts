import { LRUCache } from 'lru-cache';
import { CACHES, type WatchCache } from '../../schema/caches.js';
import type { DirectRequest } from '../execution/direct/direct-executor.js';

/** Bodies that were answered without an error, with what they say: it was read, checked and allowed at the time. */
export interface KnownRequests {
  /** What a body says, byte for byte the same; undefined for one that was not answered lately. */
  find(body: Buffer): DirectRequest | undefined;
  remember(body: Buffer, request: DirectRequest): void;
}

/** Bytes of heap that a single one may take. */
const MAX_ENTRY_BYTES = 512 * 1024;
/** Heap for each byte: the body, and what was read of it. */
const HEAP_PER_BYTE = 24;
const REQUEST_BYTES = 500;

/** Remembers nothing at first. */
export function createKnownRequests(watchCache: WatchCache): KnownRequests {
  const maxSize = CACHES['direct-requests'].boundBytes;
  const known = new LRUCache<string, DirectRequest>({ maxSize, maxEntrySize: MAX_ENTRY_BYTES });
  watchCache('direct-requests', () => known.calculatedSize);
  return {
    find(body) {
      const text = textOf(body);
      const request = known.peek(text);
      // To find it costs less than to be the last that was used: that is heard of now and then.
      return request?.isRecent(Date.now()) === true ? request : known.get(text);
    },
    remember: (body, request) =>
      void known.set(textOf(body), request, { size: REQUEST_BYTES + HEAP_PER_BYTE * body.length }),
  };
}

/** One character for each byte, so that equal texts are equal bytes. */
function textOf(body: Buffer): string {
  return body.toString('latin1');
}
