import type { CachedPart } from '../../../schema/at-hand.js';
import type { Credential, Deadline, OperationContext } from '../../../schema/operation.js';
import type { CacheOutcome, QuotaLeft, Staleness } from '../../../schema/trace.js';
import type { Span } from '../../../schema/tracing.js';
import type { CacheDirectives } from '../headers/cache-control.js';
import type { WireHead } from '../ports/transport.js';
import type { DerivedBytes } from './derived-bytes.js';
import type { Reading } from './parse-response.js';
import type { UpstreamRequest } from './upstream.js';

/** A call on its way through the stages. A stage that changes something hands on a copy. */
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
  /** Ends the work: the caller's, or the flight's that several callers share. */
  readonly signal: AbortSignal;
  /** Aborts the signal of a flight or a trial; does nothing before, where the signal is the caller's. */
  stop(): void;
  readonly deadline: Deadline;
  /** Its stale cache entry: to be revalidated by its tag, or served in an outage. */
  readonly entry: CacheEntry | null;
  /** Whether it is background work that no caller waits for. */
  readonly unattended: boolean;
  /** Whether it finds out if a service that was down is back. */
  readonly trial: boolean;
  /** The call in the trace of the request; absent where nothing is traced. */
  readonly span?: Span;
  readonly trail: Trail;
}

/** What happened to a call so far. Written by the stages, read when the call is recorded. */
export interface Trail {
  cache: CacheOutcome;
  /** Requests that went out. */
  sent: number;
  /** Head of the last response that came in. */
  head: WireHead | null;
  /** Whether the last response was a success in JSON, be it of the documented form or not. */
  readable: boolean;
  /** How the last attempt failed when it is tried once more; null when it is not. */
  failure: unknown;
  /** Bytes of the last response's body after decompression. */
  bytes: number;
  quota: QuotaLeft | null;
  /** Share of the window, from 0 to 1, that was still free when the call went out. */
  left: number;
  stale: Staleness | null;
  /** When the service gave the response that came from the cache, in milliseconds since 1970. */
  storedAtMs: number | null;
  /** Milliseconds for which the response stays fresh, at least; null for what nobody may cache. */
  freshMs: number | null;
  /** Milliseconds that it waited for the quota and for a slot. */
  queuedMs: number;
  /** Whether the service took the caller's own key. */
  tookOwnKey: boolean;
}

/** A successful response, or the service's word that there is no such thing. */
export interface CallResponse {
  readonly status: number;
  /** Parsed body. Shared by all callers that it serves: never changed. */
  readonly json: unknown;
  /** True when the service says that the requested resource does not exist. */
  readonly unknown: boolean;
  readonly etag: string | null;
  /** What the service's `cache-control` allows. */
  readonly cacheControl: CacheDirectives;
  /** Bytes of the body. */
  readonly bytes: number;
  /** Bytes of what was made of the body. */
  readonly account: DerivedBytes;
  /** What was made of the body; null before it was read. Lives as long as the response. */
  reading: Reading | null;
}

/** An entry of the memory, as texts and requests refer to it. */
export interface HeldPart extends CachedPart {
  /** Null once the memory has evicted it. */
  readonly entry: CacheEntry | null;
  /** The memory has evicted its entry: whoever refers to the part holds nothing of it. */
  evicted(): void;
  /** The service has confirmed the response: this entry of it is fresh for longer. */
  confirmed(entry: CacheEntry): void;
}

/** A response in the cache. Times are milliseconds since 1970, because files and other processes outlive a start. */
export interface CacheEntry {
  readonly response: CallResponse;
  readonly storedAtMs: number;
  readonly freshUntilMs: number;
  /** Until then it is served at once and revalidated in the background. */
  readonly revalidateUntilMs: number;
  /** Until then it may be served when the service is down, and be revalidated by its tag. */
  readonly staleUntilMs: number;
  /** The entry as texts refer to it; absent before it was used by a run that takes only what is at hand. */
  part?: HeldPart;
}

/** Sends a call on and returns its response. Rejects with a CodedError, or with a TransportFailure below `parse`. */
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
 * Whether a call yields to people's. While a breaker is open people get nothing of the service: a trial is for them.
 */
export function isBackground({ operation, unattended, trial }: Call): boolean {
  return !trial && (operation.background === true || unattended);
}
