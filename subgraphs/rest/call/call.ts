import type { CachedPart } from '../../../schema/at-hand.js';
import type { Credential, Deadline, OperationContext } from '../../../schema/operation.js';
import type { CacheOutcome, QuotaLeft, Staleness } from '../../../schema/trace.js';
import type { Span } from '../../../schema/tracing.js';
import type { CacheDirectives } from '../headers/cache-control.js';
import type { WireHead } from '../ports/transport.js';
import type { DerivedBytes } from './derived-bytes.js';
import type { Reading } from './parse-response.js';
import type { UpstreamRequest } from './upstream.js';

/** A call on its way through the stages. A stage that changes something passes on a copy. */
export interface Call {
  readonly request: UpstreamRequest<unknown>;
  /** The operation that needs it. */
  readonly operation: OperationContext;
  /** The key that the call carries, chosen by `authorize`; null without one. */
  readonly credential: Credential | null;
  /** Whose responses it may share: `shared`, `none` for keyless calls, or a key's fingerprint. */
  readonly partition: string;
  /** Equal for calls that may share one response. */
  readonly identity: string;
  /** Ends the work: the caller's signal, or that of a flight that several callers share. */
  readonly signal: AbortSignal;
  /** Aborts the signal of a flight or a trial; does nothing while the signal is the caller's. */
  stop(): void;
  readonly deadline: Deadline;
  /** Its stale cache entry, to be revalidated by its tag or served in an outage; null without one. */
  readonly entry: CacheEntry | null;
  /** Whether it is background work that no caller waits for. */
  readonly unattended: boolean;
  /** Whether it tests if a service that was down is back. */
  readonly trial: boolean;
  /** The call's span in the trace of the request; absent when tracing is off. */
  readonly span?: Span;
  readonly trail: Trail;
}

/** What has happened to a call so far. Written by the stages, read when the call is recorded. */
export interface Trail {
  cache: CacheOutcome;
  /** Requests that went out. */
  sent: number;
  /** Head of the last response that came in. */
  head: WireHead | null;
  /** Whether the last response was a success in JSON, of the documented form or not. */
  readable: boolean;
  /** How the last attempt failed, if the call is being retried; else null. */
  failure: unknown;
  /** Bytes of the last response's body after decompression. */
  bytes: number;
  quota: QuotaLeft | null;
  /** Share of the window, from 0 to 1, that was still free when the call went out. */
  left: number;
  stale: Staleness | null;
  /** When the service sent the response that came from the cache, in milliseconds since 1970; null if none did. */
  storedAtMs: number | null;
  /** Milliseconds for which the response stays fresh, at least; null if it must not be cached. */
  freshMs: number | null;
  /** Milliseconds spent waiting for the quota and for a slot. */
  queuedMs: number;
  /** Whether the service accepted the caller's own key. */
  tookOwnKey: boolean;
}

/** A successful response, or the service's statement that the resource does not exist. */
export interface CallResponse {
  readonly status: number;
  /** Parsed body. Shared by all callers that it serves, so never changed. */
  readonly json: unknown;
  /** True when the service says that the requested resource does not exist. */
  readonly unknown: boolean;
  readonly etag: string | null;
  /** What the service's `cache-control` allows. */
  readonly cacheControl: CacheDirectives;
  /** Bytes of the body. */
  readonly bytes: number;
  /** Counts the bytes of what was made from the body. */
  readonly account: DerivedBytes;
  /** What a parser made of the body; null before it was parsed. Lives as long as the response. */
  reading: Reading | null;
}

/** An entry in memory, as texts and requests refer to it. */
export interface HeldPart extends CachedPart {
  /** Null once the memory has evicted it. */
  readonly entry: CacheEntry | null;
  /** Its entry was evicted from memory: drops all references to it, so that holding the part costs nothing. */
  evicted(): void;
  /** The service has confirmed the response: this new entry of it is fresh for longer. */
  confirmed(entry: CacheEntry): void;
}

/** A response in the cache. Times are milliseconds since 1970, because stored entries outlive the process. */
export interface CacheEntry {
  readonly response: CallResponse;
  readonly storedAtMs: number;
  readonly freshUntilMs: number;
  /** Until then it is served at once and revalidated in the background. */
  readonly revalidateUntilMs: number;
  /** Until then it may be served when the service is down, and revalidated by its tag. */
  readonly staleUntilMs: number;
  /** The entry as texts refer to it; absent until a run uses the entry at hand. */
  part?: HeldPart;
}

/** Passes a call on and returns its response. Rejects with a CodedError, or below `parse` with a TransportFailure. */
export type Handler = (call: Call) => Promise<CallResponse>;

/** One stage: what it does around the stages after it. */
export type Stage = (next: Handler) => Handler;

/** The trail of a call to which nothing has happened yet. */
export function createTrail(cache: CacheOutcome): Trail {
  return {
    cache,
    sent: 0,
    head: null,
    readable: false,
    failure: null,
    bytes: 0,
    quota: null,
    left: 1,
    stale: null,
    storedAtMs: null,
    freshMs: null,
    queuedMs: 0,
    tookOwnKey: false,
  };
}

/**
 * Whether a call yields to people's. A trial does not: while a breaker is open, people depend on it.
 */
export function isBackground({ operation, unattended, trial }: Call): boolean {
  return !trial && (operation.background === true || unattended);
}
