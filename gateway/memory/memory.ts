import { hash } from 'node:crypto';
import { createCache, type WatchCache } from '../../kernel/caches.js';
import { fromEachService, SERVICES, type ServiceName } from '../../kernel/services.js';
import type { Encoding } from '../../runtime/http/negotiation.js';
import { type GraphqlParameters, persistedHashOf } from '../../runtime/http/parameters.js';
import type { CallerCredentials, GatewayRequest, OperationFacts } from '../request/request.js';

/*
 * The memory of whole responses, wherever the subgraphs run.
 *
 * A response is found again by its operation, as text or by the hash of a persisted one, its variables, and the keys of
 * its caller, as keyed hashes. It is valid until the earliest end of what it was made from, for a minute at most, and as
 * long as the services that it was made from have the same **version** for its caller: each write with a key, and each
 * new export, is another one. An entry that is renewed meanwhile does not prolong it.
 *
 * Never stored: errors, stale data, what changes at any time (`forbidCaching`), what is never cached, mutations.
 */

/**
 * Why a request was not answered from memory. `unknown`: its operation was not executed lately with these variables;
 * `expired`: its response is too old, or followed by a write or an export; `report`: a trace, rows or a price is wanted,
 * which only an execution has.
 */
export type WhyExecuted = 'unknown' | 'expired' | 'report';

/** A response without errors. */
export interface MemoryResponse {
  readonly operation: OperationFacts;
  /** The body as JSON. */
  readonly body: Buffer;
  /** The same body in the encodings that it was sent in: encoding costs more than everything else. */
  readonly encoded: Map<Encoding, Buffer>;
  /** How many calls the cache saved: all that were needed. */
  readonly hits: number;
  /** Until when all of its parts are fresh, in milliseconds since 1970; null if none of them expires. */
  readonly freshUntilMs: number | null;
  /** When the oldest store that it was read from was sent, in milliseconds since 1970; null without one. */
  readonly storedMs: number | null;
}

/** An operation that was executed without an error. */
interface ExecutedOperation {
  readonly operation: OperationFacts;
  readonly data: object;
  /** Lower bound of its size as JSON. */
  readonly bytes: number;
  /** What its calls say. */
  readonly recorder: Pick<
    GatewayRequest['recorder'],
    'freshUntilMs' | 'isCacheable' | 'callsNeeded' | 'services' | 'storedMs'
  >;
}

/** Whole responses, for all callers. */
export interface Memory {
  /** The response, without waiting; or why there is none. */
  answer(request: MemoryRequest, credentials: CallerCredentials): MemoryResponse | WhyExecuted;
  /** The versions of all services for a caller. Call it before an operation is executed. */
  versions(credentials: CallerCredentials): Versions;
  /**
   * Stores the response of an operation that was executed without an error. Null if nobody may have it again, as when a
   * version has changed since: it may have been read before.
   */
  learn(request: MemoryRequest, caller: ReadingCaller, executed: ExecutedOperation): MemoryResponse | null;
}

type Versions = Readonly<Record<ServiceName, string | null>>;

/** Whose operation was executed, and the versions before. */
interface ReadingCaller {
  readonly credentials: CallerCredentials;
  readonly versions: Versions;
}

/** A request that may be repeated. */
export class MemoryRequest {
  readonly parameters: GraphqlParameters;
  #hash: string | null = null;

  constructor(parameters: GraphqlParameters) {
    this.parameters = parameters;
  }

  /** A digest of operation and variables; V8 hashes long strings by their length alone. */
  get hash(): string {
    const { query, operationName, variables } = this.parameters;
    const identity = [query, persistedHashOf(this.parameters), operationName, variables];
    this.#hash ??= hash('sha256', JSON.stringify(identity), 'base64url');
    return this.#hash;
  }
}

/**
 * Changes whenever a response of a service for this key may: with each write and each export. Null where nobody can tell,
 * and nothing may be remembered.
 */
export type VersionOf = (service: ServiceName, credentials: CallerCredentials) => string | null;

/** Larger whole responses are not stored: few clients send the same query again. */
const MAX_BYTES = 256 * 1024;
/** Bytes of heap of an entry besides its bodies. */
const ENTRY_BYTES = 700;

/** Bounds how late a change that no call reports is seen: a new daily export, or a replaced program. */
const MAX_HOLD_MS = 60_000;

interface StoredResponse extends MemoryResponse {
  /** When it was stored, and until when it may be sent, in milliseconds since 1970. */
  readonly storedAtMs: number;
  readonly goodUntilMs: number;
  /** The services that it was made from, and their versions. */
  readonly services: ReadonlySet<ServiceName>;
  readonly versions: Versions;
}

/** Creates an empty memory. */
export function createMemory(versionOf: VersionOf, watchCache: WatchCache): Memory {
  // Its encodings together are shorter than a body of JSON.
  const entries = createCache<StoredResponse>('direct-responses', watchCache, {
    sizeCalculation: ({ body }) => ENTRY_BYTES + 2 * body.length,
  });

  /** Whether these services have the same versions as before. */
  function areSame(services: Iterable<ServiceName>, versions: Versions, credentials: CallerCredentials): boolean {
    for (const service of services) {
      const version = versions[service];
      if (version === null || versionOf(service, credentials) !== version) return false;
    }
    return true;
  }

  return {
    versions: (credentials) => fromEachService((service) => versionOf(service, credentials)),
    answer(request, credentials) {
      const response = entries.get(keyOf(request, credentials));
      if (response === undefined) return 'unknown';
      const { services, versions, storedAtMs, goodUntilMs } = response;
      const nowMs = Date.now();
      // It is not yet stored if the clock was set back.
      const isHeld = storedAtMs <= nowMs && nowMs < goodUntilMs;
      return isHeld && areSame(services, versions, credentials) ? response : 'expired';
    },
    learn(request, { credentials, versions }, { operation, data, bytes, recorder }) {
      const { isCacheable, callsNeeded, services } = recorder;
      const freshUntilMs = recorder.freshUntilMs();
      const isStale = callsNeeded > 0 && (freshUntilMs === null || freshUntilMs <= Date.now());
      if (operation.type !== 'query' || !isCacheable || isStale || bytes > MAX_BYTES) return null;
      if (!areSame(services, versions, credentials)) return null;
      const body = bytesOf(JSON.stringify({ data }));
      if (body.length > MAX_BYTES) return null;
      const storedAtMs = Date.now();
      const response: StoredResponse = {
        operation,
        body,
        encoded: new Map(),
        hits: callsNeeded,
        freshUntilMs,
        storedMs: recorder.storedMs(),
        services,
        versions,
        storedAtMs,
        goodUntilMs: Math.min(freshUntilMs ?? Number.POSITIVE_INFINITY, storedAtMs + MAX_HOLD_MS),
      };
      entries.set(keyOf(request, credentials), response);
      return response;
    },
  };
}

/** The bytes of a text outside of Node's pool, which they would keep alive. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Equal for requests that may share a response. */
function keyOf({ hash }: MemoryRequest, credentials: CallerCredentials): string {
  let key = hash;
  for (const service of SERVICES) {
    const credential = credentials[service];
    if (credential !== null) key += ` ${service} ${credential.fingerprint}`;
  }
  return key;
}
