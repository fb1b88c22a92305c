import type { Span } from '../../kernel/log.js';
import type { Credential, Deadline, OperationContext } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import type { CacheOutcome, QuotaLeft, Staleness, UpstreamCall } from '../../kernel/trace.js';
import type { CacheDirectives, WireHead } from './ports/transport.js';
import type { Requester } from './quota/fair-queue.js';
import type { Sender } from './shape.js';
import { LIGHT_ROWS, type UpstreamRequest } from './upstream.js';

/**
 * A call on its way: one request for one operation, from the client that describes it to the service, or to a cache
 * entry that saves it.
 *
 * It passes the stages of `stages/create-upstream.ts` from the outside in, and its response passes them on the way back. A
 * stage that learns something (the key, the place in the cache, a shorter deadline) passes on a copy. What happens to
 * the call is written into its **trail**, which all copies share, and which becomes its row in trace, metrics and log.
 *
 * A call need not have one caller:
 *
 * - callers whose calls have the same `identity` wait for one call together (`stages/cache.ts`): `signal` and
 *   `deadline` are then those of all who wait;
 * - nobody waits for an **unattended** call, which refreshes an entry or finds out whether a service is up;
 * - a **trial** is a call that tests whether a service that was down is back (`stages/breaker.ts`).
 */
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
export class Trail {
  cache: CacheOutcome;
  /** Requests that went out. */
  sent = 0;
  /** Head of the last response that came in. */
  head: WireHead | null = null;
  /** Whether the last response was a success in JSON, of the documented form or not. */
  readable = false;
  /** Whether the last response refuses the key in words that an outage has too. */
  isAmbiguous = false;
  /** Whether the last response is a failure that may be of the one record that was requested. */
  mayBeOfRecord = false;
  /** How the last attempt failed, if the call is being retried; else null. */
  failure: unknown = null;
  /** Bytes of the last response's body after decompression. */
  bytes = 0;
  quota: QuotaLeft | null = null;
  stale: Staleness | null = null;
  /** When the service sent the response that came from the cache, in milliseconds since 1970; null if none did. */
  storedAtMs: number | null = null;
  /** Milliseconds for which the response stays fresh, at least; null if it must not be cached. */
  freshMs: number | null = null;
  /** Milliseconds spent waiting for the quota and for a slot. */
  queuedMs = 0;
  /** Whether the service accepted the caller's own key. */
  tookOwnKey = false;

  constructor(cache: CacheOutcome) {
    this.cache = cache;
  }
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
  /** Bytes of memory that `json` takes; estimated from the body if left out. */
  readonly heapBytes?: number;
  /** Whether it is the beginning of a list that was broken off. */
  readonly isCut?: boolean;
  /** What a parser made of the body; null before it was parsed. Lives as long as the response. */
  reading: { readonly parse: UpstreamRequest<unknown>['parse']; readonly value: unknown } | null;
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
}

/** Passes a call on and returns its response. Rejects with a CodedError, or a TransportFailure where no response came. */
export type Handler = (call: Call) => Promise<CallResponse>;

/** One stage: what it does around the stages after it. */
export type Stage = (next: Handler) => Handler;

/** Runs a background call, which is recorded separately. */
export type Detach = (call: Call, run: (call: Call) => Promise<void>) => void;

/** A call to which nothing has happened yet. */
export function startCall(service: ServiceName, request: UpstreamRequest<unknown>, operation: OperationContext): Call {
  const span = operation.span?.child(`call ${service}`);
  return {
    request,
    operation,
    credential: null,
    partition: 'none',
    identity: '',
    signal: operation.signal,
    stop: () => {},
    deadline: operation.deadline,
    entry: null,
    unattended: false,
    trial: false,
    trail: new Trail(request.cache === 'never' ? 'BYPASS' : 'MISS'),
    ...(span !== undefined && { span }),
  };
}

/** A row of the trace for a request that was not sent; who reports it adds what differs. */
export function unsentRow(
  service: ServiceName,
  { method, template, entities = 1 }: Pick<UpstreamRequest<unknown>, 'method' | 'template' | 'entities'>,
  { startMs = 0, planNode = '', freshMs }: Partial<Pick<UpstreamCall, 'startMs' | 'planNode' | 'freshMs'>> = {},
): UpstreamCall {
  return {
    service,
    method,
    path: template,
    status: null,
    startMs,
    ms: 0,
    bytes: 0,
    cache: 'HIT',
    entities,
    retries: 0,
    sent: 0,
    planNode,
    freshMs,
  };
}

/** Bytes of a hundred missions (volunteering 6.1). */
const HUNDRED_ROWS_BYTES = 640_000;

/**
 * What a call counts as in what a request and its caller may make: a large list as one for each started 640 kB, about a
 * hundred missions; for each started hundred rows if no response shows how many there were.
 */
export function weightOf({ request: { rows = 1 }, trail: { readable, bytes } }: Call): number {
  if (rows <= LIGHT_ROWS) return 1;
  return Math.max(1, Math.ceil(readable ? bytes / HUNDRED_ROWS_BYTES : rows / LIGHT_ROWS));
}

/** Whether a call yields to people's. A trial that is nobody's does not: while a breaker is open, people depend on it. */
export function isBackground({ operation, unattended, trial }: Call): boolean {
  return operation.background === true || (unattended && !trial);
}

/** Where no gateway names the caller, their key identifies them; without a key, each request is its own caller. */
export function requesterOf({ operation: { request, caller, credential } }: Call): Requester {
  return { caller: caller ?? credential?.fingerprint ?? request, request };
}

/**
 * The value of a response: parsed once per parser and then the same object for every caller, so that what is derived
 * from it can be cached with it. Throws what the parser throws.
 */
export function parseResponse<T>(response: CallResponse, request: UpstreamRequest<T>, { service, drift }: Sender): T {
  const known = response.reading;
  // Requests with the same place in the cache differ at most in their parser.
  if (known !== null && known.parse === request.parse) return known.value as T;
  const { json, isCut } = response;
  const value = request.parse({ json, isCut, sender: { service, drift } }, request);
  response.reading = { parse: request.parse, value };
  return value;
}
