import { LRUCache } from 'lru-cache';
import { CACHES, type WatchCache } from '../../schema/caches.js';
import type { ServiceName } from '../../schema/services.js';
import type { UpstreamCall } from '../../schema/trace.js';
import { type Hold, holdUntil, isHeld } from './hold.js';
import type { OwnResponse } from './http-response.js';
import { operationKey } from './operation-key.js';

/** A response without errors, as it was when it was stored. */
interface Stored extends Hold {
  /** JSON: whoever finds it changes its objects, and so parses a copy. */
  readonly data: Buffer;
  readonly calls: readonly UpstreamCall[];
}

/** What a subgraph would respond now: its data as JSON, and rows of the calls that it has cached. */
export interface FoundResponse {
  readonly data: Buffer;
  readonly calls: readonly UpstreamCall[];
}

/** A response as it came. */
export interface SizedResponse extends OwnResponse {
  /** Of its body. */
  readonly bytes: number;
}

/** Responses of our subgraphs in other processes. An operation is its whole JSON, with variables. */
export interface SubgraphResponses {
  /** Null if it is not stored, or no longer fresh. */
  find(service: ServiceName, operation: string): FoundResponse | null;
  /** Stores what the subgraph itself had cached; anything else is left alone. The caller had no key for this service. */
  learn(service: ServiceName, operation: string, response: SizedResponse): void;
}

/** Larger responses would leave room for few. */
const MAX_STORED_BYTES = 256 * 1024;
const ENTRY_BYTES = 600;
const CALL_BYTES = 400;

/** Creates the cache that all subgraphs share. */
export function createSubgraphResponses(watchCache: WatchCache): SubgraphResponses {
  const cached = new LRUCache<string, Stored>({
    maxSize: CACHES['subgraph-responses'].boundBytes,
    sizeCalculation: ({ data, calls }) => ENTRY_BYTES + data.length + CALL_BYTES * calls.length,
  });
  watchCache('subgraph-responses', () => cached.calculatedSize);

  return {
    find(service, operation) {
      const stored = cached.get(keyOf(service, operation));
      const nowMs = Date.now();
      if (stored === undefined || !isHeld(stored, nowMs)) return null;
      const ageMs = nowMs - stored.storedAtMs;
      return { data: stored.data, calls: stored.calls.map((row) => ({ ...row, freshMs: (row.freshMs ?? 0) - ageMs })) };
    },
    learn(service, operation, { response: { data, errors }, calls, isCacheable, bytes }) {
      if (!isCacheable || errors !== undefined || data == null) return;
      // Before its data are written as JSON, which takes the longer the more there is.
      if (bytes > MAX_STORED_BYTES) return;
      if (calls.some(({ cache, freshMs }) => cache !== 'HIT' || freshMs === undefined)) return;
      const freshMs = Math.min(...calls.map((row) => row.freshMs ?? 0));
      // The path in the plan has the client's aliases, as long as they are: each request has its own.
      const rows = calls.map((row) => ({ ...row, startMs: 0, ms: 0, planNode: '' }));
      cached.set(keyOf(service, operation), { data: bytesOf(data), calls: rows, ...holdUntil(Date.now() + freshMs) });
    },
  };
}

function keyOf(service: ServiceName, operation: string): string {
  return operationKey(`${service} ${operation}`);
}

/** JSON in memory of its own: Node cuts short buffers out of larger ones, which the smallest part would keep. */
function bytesOf(data: object): Buffer {
  const json = JSON.stringify(data);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  bytes.write(json);
  return bytes;
}
