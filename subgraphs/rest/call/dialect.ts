import type { ErrorCode } from '../../../kernel/errors.js';
import type { QuotaScope } from '../quota/scope.js';
import type { UpstreamRequest } from './upstream.js';

/** A response with an unsuccessful status, as a dialect sees it. */
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

/** A probe of our own to a group of routes, sent with the key of the call that failed. */
export type Probe = Pick<UpstreamRequest<unknown>, 'method' | 'template' | 'path' | 'query' | 'body' | 'write'>;

/** The peculiarities of one service's HTTP. Everything left out follows the common rules. */
export interface Dialect {
  /** The headers that carry a key or token: the only place a secret ever goes. */
  headers(secret: string, request: UpstreamRequest<unknown>): Readonly<Record<string, string>>;
  /** What a failed response means for this service; undefined leaves it to the common rules of HTTP. */
  readFailure?(failure: FailedResponse, request: UpstreamRequest<unknown>): FailureReading | undefined;
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
