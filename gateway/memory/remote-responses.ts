import { createCache, type WatchCache } from '../../kernel/caches.js';
import { SERVICES, type ServiceName } from '../../kernel/services.js';
import type { GraphqlParameters } from '../http/parameters.js';
import { type Hold, holdUntil, isHeld, operationKey } from '../remote/subgraph-responses.js';
import type { CallerCredentials } from '../request/request.js';
import {
  EncodedBodies,
  type ExecutedOperation,
  isToBePersisted,
  MAX_CACHED_BYTES,
  type Memory,
  type MemoryResponse,
  ResponseBody,
} from './memory.js';

/** A whole response, and how long it is valid. */
interface StoredResponse extends Hold, MemoryResponse {
  /** Services that were called for it; a caller with a key of their own for one of them might get something else. */
  readonly services: ReadonlySet<ServiceName>;
}

/** An operation with its variables. A new object each time it grows, since the library measures an object only once. */
interface Slot {
  /** Null for an operation that was answered only once: few of those are repeated. */
  readonly response: StoredResponse | null;
}

const SLOT_BYTES = 600;

/**
 * Stores what subgraphs in other processes answered when an operation is executed a second time, and answers with it
 * while all of it is fresh: byte for byte what `Cache-Control` allows any cache on the way. Unlike the subgraphs, it
 * knows nothing about what the data implies.
 */
export function createRemoteResponses(watchCache: WatchCache): Memory {
  const slots = createCache<Slot>('direct-responses', watchCache, {
    sizeCalculation: ({ response }) =>
      SLOT_BYTES + (response === null ? 0 : response.body.length + response.encoded.bytes),
  });

  function store(key: string, executed: ExecutedOperation): void {
    const body = new ResponseBody(JSON.stringify({ data: executed.data }));
    if (body.length > MAX_CACHED_BYTES) return;
    const encoded = new EncodedBodies(
      () => slots.peek(key)?.response === response,
      () => void slots.set(key, { response }),
    );
    const { operation, needed: hits, services, freshUntilMs, storedMs } = executed;
    const response: StoredResponse = {
      way: 'whole response',
      operation,
      body,
      encoded,
      hits,
      services,
      freshUntilMs,
      storedMs,
      ...holdUntil(freshUntilMs),
    };
    slots.set(key, { response });
  }

  return {
    answer({ parameters }, { credentials }) {
      const key = keyOf(parameters);
      const response = key === null ? null : slots.get(key)?.response;
      if (response == null) return 'unknown';
      if (!isHeld(response, Date.now())) return 'expired';
      return isForCaller(response, credentials) ? response : 'uncached';
    },
    learn(parameters, executed) {
      const { isCacheable, needed, freshUntilMs, bytes, credentials } = executed;
      const isStale = needed > 0 && (freshUntilMs === null || freshUntilMs <= Date.now());
      if (!isCacheable || isStale || bytes > MAX_CACHED_BYTES) return;
      if (!isForCaller(executed, credentials)) return;
      const key = keyOf(parameters);
      if (key === null) return;
      if (slots.has(key)) store(key, executed);
      else slots.set(key, { response: null });
    },
  };
}

/** Null for an operation whose text is not known, or that may be a mutation. */
function keyOf({ query, operationName, variables, extensions }: GraphqlParameters): string | null {
  // A GET may send no mutation, and only its execution knows which operation is one.
  if (query === undefined || isToBePersisted(extensions) || /\bmutation\b/.test(query)) return null;
  return operationKey(JSON.stringify([query, operationName, variables]));
}

/** Whether no key of this caller played a part in the response, or would have. */
function isForCaller({ services }: Pick<ExecutedOperation, 'services'>, credentials: CallerCredentials): boolean {
  return SERVICES.every((service) => credentials[service] === null || !services.has(service));
}
