import type { Awaitable } from '../../kernel/awaitable.js';
import type { ErrorCode } from '../../kernel/errors.js';
import type { Credential, OperationContext } from '../../kernel/operation.js';
import type { SourceFigures, SourceStatus } from '../../kernel/source-figures.js';
import type { QuotaScope } from './quota/scopes.js';
import type { Sender } from './shape.js';

/**
 * What a service's room sees of the REST toolkit. Its clients describe calls (`UpstreamRequest`), its dialect says what
 * is peculiar about the service's HTTP, and the toolkit makes each call, or saves it (`Upstream`).
 */

/**
 * How a response may be cached (for how long: `CACHE_TIMES`): `reference` is fetched with the operator's key and
 * shared by all callers; `search` is cached per credential, as is `slow`, whose input may take the service seconds: it waits
 * for one of few slots, and its failures say nothing about the service. `never` is neither cached nor shared.
 */
export type CacheClass = 'reference' | 'search' | 'slow' | 'never';

/**
 * Whose key a call carries. `operator`: the operator's, whoever the caller is. `caller-or-operator`: the caller's, else
 * the operator's. `caller`: the caller's own; without one the call is refused unsent. `none`: no key (export links).
 */
export type KeyOf = 'operator' | 'caller-or-operator' | 'caller' | 'none';

/** A successful response, its body read and parsed as JSON. */
export interface UpstreamResponse {
  /** Parsed JSON body; undefined when the body is empty. */
  readonly json: unknown;
  /** Whether the body is the beginning of a list that was broken off. Only for a request that is `streamed` or gathers. */
  readonly isCut?: boolean | undefined;
  /** What its views are created with. */
  readonly sender: Sender;
}

/** A part of a large body that is cached in place of the whole. */
interface Digest {
  /** Distinguishes the digests of one request and their versions, so that an older program's entry is not misread. */
  readonly name: string;
  /**
   * Makes the part, as JSON, in steps between which the event loop may turn. Throws a CodedError when the body is not
   * what the service documents.
   */
  of(json: unknown, sender: Sender): Generator<void, unknown>;
}

/** What was made of the items of a list, in place of its body. */
export interface Gathered {
  /** What `parse` gets. It stays in this process: no store takes it. */
  readonly json: unknown;
  /** Bytes of memory that it takes. */
  readonly heapBytes: number;
}

/** A call of more rows is heavy: it takes permits, and counts as several calls in what its caller may make. */
export const LIGHT_ROWS = 100;

/** One call to a service. */
export interface UpstreamRequest<T> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path with its variable parts named, as the trace, the metrics and the log show it. */
  readonly template: string;
  /** Path below the service's base address, variable parts percent-encoded. */
  readonly path: string;
  /** Query parameters in the order they are sent; a name may occur several times. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** JSON body. */
  readonly body?: unknown;
  /** Form body instead of a JSON one, for the token endpoint. */
  readonly form?: readonly (readonly [name: string, value: string])[];
  /** Whether it changes something at the service. Default: true unless GET. Set to false for a query that is posted. */
  readonly write?: boolean;
  /** Milliseconds that one attempt may take. Default 10 s; 12 s where the service itself gives up after 10. */
  readonly attemptMs?: number;
  readonly cache: CacheClass;
  /** Whether callers can vary it endlessly, in which case its response is not cached on disk. Default false. */
  readonly unbounded?: boolean;
  readonly key: KeyOf;
  /**
   * What the service's own 404 means: with 'null', that the id is unknown; when left out, an error. With 'null', a
   * `parse` that returns null says the same of an empty response. Both are cached for a minute.
   */
  readonly unknown?: 'null';
  /**
   * Whether the response is secret or personal: if so, nothing of its body appears in errors or the log. Default false.
   */
  readonly confidential?: boolean;
  /** Most rows that the response may have, which is the limit that is sent; more than 100 take permits. Default 1. */
  readonly rows?: number;
  /** Whether it is part of a count or walk of a whole list, which takes at most half of what is left of a quota. */
  readonly bulk?: boolean;
  /** How many entities the response serves, for the trace. Default 1. */
  readonly entities?: number;
  /**
   * Whether the service sends a list while it reads it, and breaks off at a record that it cannot read (work-study 5.4):
   * that is not tried again, and the items before are a response. Default false.
   */
  readonly streamed?: boolean;
  /**
   * Whether its response hardly ever exceeds ten packets, which a new connection sends in one go (RFC 6928). It is then
   * requested uncompressed: compression would take both sides longer than sending the bytes. Default false.
   */
  readonly small?: boolean;
  /** The small part of a large body that is worth caching; it replaces the body for the cache and for `parse`. */
  readonly digest?: Digest;
  /**
   * For a list that is too large to be read whole: makes of its items, each in JSON and in their order, what replaces the
   * body for the cache and for `parse`. It may stop before the end, as the service may: the response is then `isCut`.
   */
  readonly gather?: (items: AsyncIterable<Buffer>) => Promise<Gathered>;
  /**
   * Turns a successful response into the request's value. Throws a CodedError when the body is not as documented. If
   * requests share one function, a cached response is parsed once and all callers get the same value: nobody may change
   * it, nor its input.
   */
  parse(response: UpstreamResponse, request: UpstreamRequest<T>): T;
}

/** Whether a call changes something at the service. If so it is sent only once, and invalidates the key's entries. */
export function isWrite({ method, write }: UpstreamRequest<unknown>): boolean {
  return write ?? method !== 'GET';
}

/** The query as it is sent, including the question mark; empty without parameters. */
export function queryText(query: UpstreamRequest<unknown>['query'] = []): string {
  if (query.length === 0) return '';
  return `?${query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;
}

/** One service, reached through all stages of the toolkit. */
export interface Upstream {
  /** What views of this service's JSON are created with: names the service and counts drift. */
  readonly sender: Sender;
  /** The value of a call: at once if a fresh cache entry has it, else like `call`. */
  read<T>(request: UpstreamRequest<T>, operation: OperationContext): Awaitable<T | null>;
  /**
   * The value of a call, made or saved. Null only where `unknown: 'null'` allows it.
   * Rejects with a CodedError of the table, never with anything else.
   */
  call<T>(request: UpstreamRequest<T>, operation: OperationContext): Promise<T | null>;
  /** What memory has of an equal request, fresh or stale; undefined if nothing. Makes no call, and counts none. */
  recall<T>(request: UpstreamRequest<T>, operation: OperationContext): Recalled<T> | undefined;
}

/** A value in memory, and whether a call made now would find it there. */
export interface Recalled<T> {
  readonly value: T | null;
  readonly isFresh: boolean;
}

/** A file behind a signed link, which carries its own authorization. */
export interface Download {
  /** The link. Its host may differ from the service's; no key, token or cookie is ever sent along. */
  readonly url: string;
  /** What the trace, the metrics and the log show in place of the link. */
  readonly template: string;
  /** Bytes after decompression beyond which the download is aborted. */
  readonly maxBytes: number;
  /** Aborts the download. */
  readonly signal: AbortSignal;
  /** Called with the file's size, before its first bytes, if its host says so. */
  readonly onLength?: (bytes: number) => void;
}

/** What the owner of a service's wire has beyond its clients: downloads, state and closing. */
export interface UpstreamService extends Upstream {
  /**
   * The file's bytes as they arrive, never cached. Aborted after 30 s without a byte. The iteration throws a CodedError
   * when the link is refused, or the file is cut off or too large.
   */
  download(file: Download): AsyncIterable<Uint8Array>;
  status(): SourceStatus;
  /** How it is used, as seen by a caller with this key; null is a caller without one. */
  figures(credential: Credential | null): SourceFigures;
  /** Changes with each write of this key, or of the operator's for a caller without one; null if Redis alone knows it. */
  version(credential: Credential | null): string | null;
  /** Releases the sockets. Calls still in flight end as unavailable. */
  close(): Promise<void>;
}

/** An operation that the process itself starts, as a separate request without a caller's key. */
export function unattendedOperation({ purpose, ms, signal, dryRun }: UnattendedOptions): OperationContext {
  return {
    requestId: purpose,
    request: {},
    deadline: { remainingMs: () => ms },
    signal,
    credential: null,
    internal: false,
    ...(dryRun === true && { dryRun }),
    planNode: '',
    recorder: { elapsedMs: () => 0, record() {}, readStored() {}, forbidCaching() {} },
  };
}

interface UnattendedOptions {
  /** What it is for; used as the request id. */
  readonly purpose: string;
  /** Milliseconds that its calls may take. */
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Whether it is part of a dry run, and makes none. */
  readonly dryRun?: boolean | undefined;
}

/** A response with an unsuccessful status, or with a body that is not JSON, as a dialect sees it. */
export interface FailedResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown;
  readonly text: string;
}

/**
 * What a failed response means: `unknown` is the service's own "no such thing", which becomes null for a request with
 * `unknown: 'null'`; otherwise a code, a message that the caller may see, and the seconds after which to retry.
 */
export type FailureReading =
  | 'unknown'
  | { readonly code: ErrorCode; readonly message?: string; readonly retryAfterSeconds?: number };

/** A probe of our own to a group of routes, sent with the operator's key, else with that of the next call. */
export type Probe = Pick<UpstreamRequest<unknown>, 'method' | 'template' | 'path' | 'query' | 'body' | 'write'>;

/** The peculiarities of one service's HTTP. Everything left out follows the common rules. */
export interface Dialect {
  /** The headers that carry a key or token: the only place a secret ever goes. */
  headers(secret: string, request: UpstreamRequest<unknown>): Readonly<Record<string, string>>;
  /** What a failed response means for this service; undefined leaves it to the common rules. */
  readFailure?(failure: FailedResponse, request: UpstreamRequest<unknown>): FailureReading | undefined;
  /** Whether a failed response refuses the key in words that the service also has while it cannot look up any key. */
  isAmbiguousRefusal?(failure: FailedResponse, request: UpstreamRequest<unknown>): boolean;
  /** Whether such a refusal is doubted even of a key that this process has not seen accepted; false when left out. */
  readonly doubtsUnseenKeys?: boolean;
  /** Whether a failure of the service may be of the one record that was requested, which it cannot read. */
  mayBeOfRecord?(failure: FailedResponse, request: UpstreamRequest<unknown>): boolean;
  /**
   * What is wrong if a response shows that its key sees nothing, in words that say what to ask the service for; null if it
   * shows that the key sees something, undefined if it says neither.
   */
  blindness?(json: unknown, request: UpstreamRequest<unknown>): string | null | undefined;
  /**
   * By group of routes (`RouteGroups`): a cheap request without caller input. It alone decides whether the routes are
   * down or back, so that no caller's input can take them away from others. Without one, the calls themselves decide.
   */
  readonly probes?: Readonly<Record<string, Probe>>;
  /** True if no route of the service changes anything: cached responses are then used without checking for writes. */
  readonly readOnly?: boolean;
  /** The counters that a call falls under; none when left out. `fingerprint` identifies the key that it carries. */
  scopes?(request: UpstreamRequest<unknown>, fingerprint: string): readonly QuotaScope[];
}
