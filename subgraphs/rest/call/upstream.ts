import type { CachedPart } from '../../../schema/at-hand.js';
import type { Awaitable } from '../../../schema/is-promise.js';
import type { Credential, OperationContext, SourceStatus } from '../../../schema/operation.js';
import type { SourceFigures } from '../../../schema/source-figures.js';
import type { Origin } from '../shapes/shape.js';

/**
 * What a client of a service sees of the REST toolkit: it describes a call, the toolkit makes it (or spares it).
 */

/**
 * How a response may be cached (times in `cache-classes.ts`): `reference` is fetched with the operator's key and
 * shared by all callers; `search` is cached per credential; `never` is neither cached nor shared.
 */
export type CacheClass = 'reference' | 'search' | 'never';

/**
 * Whose key a call carries. `operator`: the operator's, whoever the caller is. `caller-or-operator`: the caller's, else
 * the operator's. `caller`: the caller's own or it is refused before it is sent. `none`: no key at all (export links).
 */
export type KeyOf = 'operator' | 'caller-or-operator' | 'caller' | 'none';

/** A response whose status says success, its body read and, where it is JSON, parsed. */
export interface UpstreamResponse {
  readonly status: number;
  /** Parsed JSON body; undefined when the body is empty. */
  readonly json: unknown;
  /** What views of it are made with. */
  readonly origin: Origin;
}

/** What is cached of a large body in place of all of it. */
export interface Digest {
  /** Distinguishes the digests of one request, and their versions: an older program's entry is not read as another. */
  readonly name: string;
  /** The part, as JSON. Throws a CodedError when the body is not what the service documents. */
  of(json: unknown): unknown;
}

/** One call to a service. */
export interface UpstreamRequest<T> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path with its variable parts named: what the trace, the metrics and the log show. */
  readonly template: string;
  /** Path below the service's base address, variable parts percent-encoded. */
  readonly path: string;
  /** Query parameters in the order in which they are sent; a name may occur several times. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** JSON body. */
  readonly body?: unknown;
  /** Form body in place of a JSON one, for the token endpoint. */
  readonly form?: readonly (readonly [name: string, value: string])[];
  /** Whether it changes something at the service. Default: every method but GET; false for a query that is posted. */
  readonly write?: boolean;
  /** Milliseconds that one attempt may take. Default 10 s; 12 s where the service itself gives up after 10. */
  readonly attemptMs?: number;
  readonly cache: CacheClass;
  /** Whether callers can vary it without end: then its response is not cached on disk. Default false. */
  readonly unbounded?: boolean;
  readonly key: KeyOf;
  /**
   * What the service's own 404 means: null for an id that may be unknown; an error when left out. With it, a `parse`
   * that answers null says the same of an empty response to an exact look-up: both are cached for a minute only.
   */
  readonly unknown?: 'null';
  /**
   * Whether the response is secret or personal: then nothing of its body appears in an error or in the log. Default
   * false.
   */
  readonly confidential?: boolean;
  /** How many entities the response serves, for the trace. Default 1. */
  readonly entities?: number;
  /**
   * Whether its response is hardly ever longer than ten packets, which a new connection sends in one go (RFC 6928): it is
   * requested without compression, which would take both sides longer than the bytes do. Default false.
   */
  readonly small?: boolean;
  /** Where a small part of a large body is worth caching: it takes the place of the body, for the cache and `parse`. */
  readonly digest?: Digest;
  /** Its identity as text, written once by `reusable` where the request is made often. */
  readonly identity?: string;
  /** What such a request found the last time that it was looked up in a run that takes only what is at hand. */
  found?: CachedPart | null;
  /**
   * Turns a successful response to this request into its value. It throws a CodedError when the body is not what the
   * service documents. Where it is one function, not one for each request, a cached response is read once and all callers
   * get the same value: nobody may change it, nor its input.
   */
  parse(response: UpstreamResponse, request: UpstreamRequest<T>): T;
}

/** One service, reached through all stages of the toolkit. */
export interface Upstream {
  /** What views of this service's JSON are made with: names the service and counts drift. */
  readonly origin: Origin;
  /**
   * The value of a fresh cache entry, its hit recorded; undefined where the call has to be made. In a run that takes
   * only what is at hand it ends the run instead.
   */
  peek<T>(request: UpstreamRequest<T>, operation: OperationContext): T | null | undefined;
  /** The value of a call: at once where a fresh cache entry has it, else as `call`. */
  read<T>(request: UpstreamRequest<T>, operation: OperationContext): Awaitable<T | null>;
  /**
   * The value of a call, made or spared. Null only where `unknown: 'null'` says so.
   * Rejects with a CodedError of the table, never with anything else.
   */
  call<T>(request: UpstreamRequest<T>, operation: OperationContext): Promise<T | null>;
}

/** A file behind a signed link, which carries its own authorization. */
export interface Download {
  /** The link. Its host may be another than the service's; no key, token or cookie is ever sent along. */
  readonly url: string;
  /** What the trace, the metrics and the log show in place of the link. */
  readonly template: string;
  /** Bytes after decompression at which it is broken off. */
  readonly maxBytes: number;
  /** Breaks it off. */
  readonly signal: AbortSignal;
  /** Hears how many bytes the file has, before the first of them, where its host says so. */
  readonly onLength?: (bytes: number) => void;
}

/** What the owner of a service's wire has beyond its clients: files, state and the end. */
export interface UpstreamService extends Upstream {
  /**
   * The file's bytes as they arrive. Nothing of it is cached. Broken off after 30 s without a byte. The iteration
   * throws a CodedError when the link is refused, the file is cut or it is too large.
   */
  download(file: Download): AsyncIterable<Uint8Array>;
  status(): SourceStatus;
  /** How it is used, as a caller with this key sees it; null is a caller without one. */
  figures(credential: Credential | null): SourceFigures;
  /** Releases the sockets. Calls still in flight end as unavailable. */
  close(): Promise<void>;
}
