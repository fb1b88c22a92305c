import { createHash } from 'node:crypto';
import { createCache, type WatchCache } from '../../kernel/caches.js';
import type { ServiceName } from '../../kernel/services.js';
import type { StoredData, UpstreamCall } from '../../kernel/trace.js';
import type { SubgraphResponse } from '../../runtime/subgraph-execution.js';

/** A response without errors, as it was when it was stored. */
interface Stored extends Hold {
  /** As JSON: whoever finds it modifies its objects, and so needs a parsed copy. */
  readonly data: Buffer;
  readonly calls: readonly UpstreamCall[];
  readonly stored: readonly StoredData[];
}

/** A response of a subgraph as it was received. */
export interface ReceivedResponse {
  readonly response: SubgraphResponse;
  /** Recorded calls, with times relative to the start of the operation. */
  readonly calls: readonly UpstreamCall[];
  /** What was read without a call. */
  readonly stored?: readonly StoredData[];
  /** Whether it may be cached while all of its calls are fresh; never if it does not list them all. */
  readonly isCacheable: boolean;
  /** Size of its body. */
  readonly bytes: number;
}

/** Responses of our subgraphs in other processes, by the whole JSON of an operation, with its variables. */
export interface SubgraphResponses {
  /** What the subgraph would respond now, with calls that are all cached; null if it is not stored, or not fresh. */
  find(service: ServiceName, operation: string): Pick<Stored, 'data' | 'calls' | 'stored'> | null;
  /** Stores a response if the subgraph had all of its calls cached. The caller must have no key for this service. */
  learn(service: ServiceName, operation: string, response: ReceivedResponse): void;
}

/** Larger responses would leave room for only a few. */
const MAX_STORED_BYTES = 256 * 1024;
const ENTRY_BYTES = 600;
const CALL_BYTES = 400;

/** Creates the cache that all subgraphs share. */
export function createSubgraphResponses(watchCache: WatchCache): SubgraphResponses {
  const cached = createCache<Stored>('subgraph-responses', watchCache, {
    sizeCalculation: ({ data, calls }) => ENTRY_BYTES + data.length + CALL_BYTES * calls.length,
  });

  return {
    find(service, operation) {
      const stored = cached.get(keyOf(service, operation));
      const nowMs = Date.now();
      if (stored === undefined || !isHeld(stored, nowMs)) return null;
      const ageMs = nowMs - stored.storedAtMs;
      const calls = stored.calls.map((row) => ({ ...row, freshMs: (row.freshMs ?? 0) - ageMs }));
      return { data: stored.data, stored: stored.stored, calls };
    },
    learn(service, operation, { response: { data, errors }, calls, stored = [], isCacheable, bytes }) {
      if (!isCacheable || errors !== undefined || data == null) return;
      // Checked before the data is serialized, which takes longer the larger it is.
      if (bytes > MAX_STORED_BYTES) return;
      if (calls.some(({ cache, freshMs }) => cache !== 'HIT' || freshMs === undefined)) return;
      const freshMs = Math.min(...calls.map((row) => row.freshMs ?? 0));
      // `planNode` contains the client's aliases, of any length; every request sets its own.
      const rows = calls.map((row) => ({ ...row, startMs: 0, ms: 0, planNode: '' }));
      const held = { data: bytesOf(data), calls: rows, stored };
      cached.set(keyOf(service, operation), { ...held, ...holdUntil(Date.now() + freshMs) });
    },
  };
}

function keyOf(service: ServiceName, operation: string): string {
  return operationKey(`${service} ${operation}`);
}

/** JSON in memory of its own: Node slices short buffers from a shared pool, which a single slice would keep alive. */
function bytesOf(data: object): Buffer {
  const json = JSON.stringify(data);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  bytes.write(json);
  return bytes;
}

/** Bounds how late a change that no call reports is seen: a new daily export, or a replaced program. */
const MAX_HOLD_MS = 60_000;

/** When a stored response may be served, in milliseconds since 1970. */
export interface Hold {
  readonly storedAtMs: number;
  readonly goodUntilMs: number;
}

/** Starts now and ends with the freshness of the calls behind the response (null if none), after a minute at most. */
export function holdUntil(freshUntilMs: number | null): Hold {
  const storedAtMs = Date.now();
  return { storedAtMs, goodUntilMs: Math.min(freshUntilMs ?? Number.POSITIVE_INFINITY, storedAtMs + MAX_HOLD_MS) };
}

/** False before the hold began, as when the clock was set back. */
export function isHeld({ storedAtMs, goodUntilMs }: Hold, nowMs: number): boolean {
  return storedAtMs <= nowMs && nowMs < goodUntilMs;
}

/**
 * The cache key of an operation, from its text with its variables. A digest, so that long operations take no more room,
 * and because V8 hashes strings of 16,384 characters or more by their length alone: a caller could otherwise make each
 * lookup compare all keys of the same length.
 */
export function operationKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
