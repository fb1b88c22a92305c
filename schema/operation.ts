import type { GraphQLSchema } from 'graphql';
import type { AtHand } from './at-hand.js';
import type { CallAllowance } from './call-allowance.js';
import type { ServiceName, SourceState, UpstreamMode } from './services.js';
import type { SourceFigures } from './source-figures.js';
import type { UpstreamCall } from './trace.js';
import type { Span } from './tracing.js';

/**
 * A key or token on its way to one service. The secret is only given out to the code that writes the request's
 * headers; everything that distinguishes callers (cache, coalescing, quota) uses the fingerprint.
 */
export interface Credential {
  /** Keyed hash of the secret: equal for equal secrets, useless to anyone without the root secret. */
  readonly fingerprint: string;
  /** The secret itself. Call it where a header is written and nowhere else. */
  reveal(): string;
}

/** How much of the time allowed for a request is left. */
export interface Deadline {
  /** Milliseconds left, never negative. */
  remainingMs(): number;
}

/** Where the rows of one request's upstream calls are collected. */
export interface CallRecorder {
  /** Milliseconds since the request started. */
  elapsedMs(): number;
  record(call: UpstreamCall): void;
  /** Something was used that may be another at any time, whatever the calls say: nobody may cache the response. */
  forbidCaching(): void;
}

/**
 * All that one operation of a subgraph gets from the gateway: one object, with the credential of that service alone.
 */
export interface OperationContext {
  readonly requestId: string;
  /**
   * Identity of the request. Loaders live as long as it does: as long as the gateway's request in process, as one
   * operation over HTTP.
   */
  readonly request: object;
  readonly deadline: Deadline;
  /** Aborts when the caller is gone or the time is over. */
  readonly signal: AbortSignal;
  /** The caller's own key or token for this service; null when none was sent. */
  readonly credential: Credential | null;
  /** True only for the gateway's own operations: opens the fields that no client may select. */
  readonly internal: boolean;
  /** True for background work such as warming a cache: it yields to callers' requests. */
  readonly background?: boolean;
  /** Path of the plan's fetch that this operation is. */
  readonly planNode: string;
  readonly recorder: CallRecorder;
  /** The fetch in the trace of the request; absent where nothing is traced. */
  readonly span?: Span;
  /** Present in a run that takes only what is at hand: no call is made for it. */
  readonly atHand?: AtHand;
  /** What the request may still call; absent where nothing limits it. */
  readonly allowance?: CallAllowance;
  /** True in a dry run: calls are looked up and recorded with their counter, and none is made. */
  readonly dryRun?: boolean;
  /** Hears of root values while the operation goes on; absent where nobody can use them. */
  readonly onRoot?: OnRoot;
}

/** Hears of the value of a root field as its resolver gives it, by its key in the response. */
export type OnRoot = (key: string, value: unknown) => void;

/** State of a subgraph's source for `/readyz`. */
export interface SourceStatus {
  readonly state: SourceState;
  readonly upstream: UpstreamMode;
  /** What it is doing when it is not simply up, in words. */
  readonly detail?: string;
}

/** A subgraph as the gateway and the listeners see it. */
export interface Subgraph {
  readonly name: ServiceName;
  readonly schema: GraphQLSchema;
  /** The context value that the schema's resolvers expect for one operation. */
  contextFor(operation: OperationContext): unknown;
  /** While it loads, in turns of the event loop, what its resolvers would otherwise load at once; null from then on. */
  loading?(): Promise<void> | null;
  status(): SourceStatus;
  /** How its source is used, as a caller with this key sees it; null is a caller without one. */
  figures(credential: Credential | null): SourceFigures;
  close(): Promise<void>;
}
