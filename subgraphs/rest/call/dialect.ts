import type { ErrorCode } from '../../../schema/errors.js';
import type { QuotaScope } from '../quota/scope.js';
import type { UpstreamRequest } from './upstream.js';

/** A response whose status is no success, as a dialect sees it. */
export interface FailedResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined when it is no JSON. */
  readonly json: unknown;
  readonly text: string;
}

/**
 * What a failed response means: `unknown` is the service's own "no such thing", which a request with `unknown: 'null'`
 * answers with null; otherwise a code, a message that the caller may see, and the seconds after which to come back.
 */
export type FailureReading =
  | 'unknown'
  | { readonly code: ErrorCode; readonly message?: string; readonly retryAfterSeconds?: number };

/** A probe of our own to a group of routes, sent with the key of the call that failed. */
export type Probe = Pick<UpstreamRequest<unknown>, 'method' | 'template' | 'path' | 'query' | 'body' | 'write'>;

/** What is particular to one service's way of speaking HTTP. Everything left out follows the common rules. */
export interface Dialect {
  /** The headers that carry a key or token. The only place that a secret ever goes to. */
  headers(secret: string, request: UpstreamRequest<unknown>): Readonly<Record<string, string>>;
  /** The service's own meaning of a failed response; undefined leaves it to the common rules of HTTP. */
  readFailure?(failure: FailedResponse, request: UpstreamRequest<unknown>): FailureReading | undefined;
  /**
   * By group of routes (`RouteGroups`): a cheap request without any caller's input. It alone decides whether the routes
   * are down or back, so that no caller's input can take them from others. Without one the calls themselves decide.
   */
  readonly probes?: Readonly<Record<string, Probe>>;
  /** True where no route of the service changes anything: then no write has to be looked for before a cached response is used. */
  readonly readOnly?: boolean;
  /** The counters that a call falls under; none when left out. `fingerprint` stands for the key that it carries. */
  scopes?(request: UpstreamRequest<unknown>, fingerprint: string): readonly QuotaScope[];
}
