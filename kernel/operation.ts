import type { GraphQLSchema } from 'graphql';
import type { Span } from './log.js';
import type { ServiceName } from './services.js';
import type { SourceFigures, SourceStatus } from './source-figures.js';
import type { StoredData, UpstreamCall } from './trace.js';

/**
 * A key or token on its way to one service. Only the code that writes the request's headers reads the secret;
 * everything that distinguishes callers (cache, coalescing, quota) uses the fingerprint.
 */
export interface Credential {
  /** Keyed hash of the secret: equal for equal secrets, useless to anyone without the root secret. */
  readonly fingerprint: string;
  /** The secret itself. Call it where a header is written and nowhere else. */
  reveal(): string;
}

/** How much of a request's time is left. */
export interface Deadline {
  /** Milliseconds left, never negative. */
  remainingMs(): number;
}

/** Where the rows of one request's upstream calls are collected. */
export interface CallRecorder {
  /** Milliseconds since the request started. */
  elapsedMs(): number;
  record(call: UpstreamCall): void;
  /** Something that was stored earlier was read without a call. */
  readStored(data: StoredData): void;
  /** The response must not be cached, whatever its calls say: it contains something that may change at any time. */
  forbidCaching(): void;
}

/**
 * Everything that one operation of a subgraph gets from the gateway, with the credential of that service alone.
 */
export interface OperationContext {
  readonly requestId: string;
  /**
   * Identity of the request; loaders live as long as it does. In process that is the gateway's whole request, over HTTP
   * a single operation.
   */
  readonly request: object;
  /** In which the lists of its response are completed; absent where that is the request. */
  readonly execution?: object;
  /** What its caller is counted by; absent where no gateway says it. */
  readonly caller?: string;
  readonly deadline: Deadline;
  /** Aborts when the caller has gone or the time is up. */
  readonly signal: AbortSignal;
  /** The caller's own key or token for this service; null when none was sent. */
  readonly credential: Credential | null;
  /** True only for the gateway's own operations: opens the fields that no client may select. */
  readonly internal: boolean;
  /** True for background work such as warming a cache: it yields to callers' requests. */
  readonly background?: boolean;
  /** What it is executed for: the place of a field, apart the path of a fetch in the query plan. */
  readonly planNode: string;
  readonly recorder: CallRecorder;
  /** The fetch's span in the trace of the request; absent when tracing is off. */
  readonly span?: Span;
  /** How many calls the request may still make; absent when nothing limits them. */
  readonly allowance?: CallAllowance;
  /** True in a dry run: calls are looked up and recorded with their counter, but not made. */
  readonly dryRun?: boolean;
}

/** A subgraph as the gateway and the listeners see it. */
export interface Subgraph {
  readonly name: ServiceName;
  readonly schema: GraphQLSchema;
  /** The context value for one operation, as the schema's resolvers expect it. */
  contextFor(operation: OperationContext): unknown;
  status(): SourceStatus;
  /** How its source is used, as seen by a caller with this key; null is a caller without one. */
  figures(credential: Credential | null): SourceFigures;
  /**
   * Changes with whatever a response may follow from besides its calls' freshness: a write with this key, a new export.
   * Null where only a store that replicas share knows it.
   */
  version(credential: Credential | null): string | null;
  close(): Promise<void>;
}

/** How many upstream calls one request may still make, in any process. */
export interface CallAllowance {
  /** Calls left. */
  left(): number;
  /** Takes one call; false when none is left, of the request's or of its caller's. */
  take(): boolean;
  /** Returns the last call taken, because another request makes it. */
  giveBack(): void;
  /** Deducts calls that another process made. */
  spend(calls: number): void;
}

/** What a caller has left of the upstream calls of a minute. All requests of the caller take from it as they call. */
export interface CallBudget {
  /** Calls that a caller may make in a minute. */
  readonly limit: number;
  /** Calls left, as far as this process knows. */
  left(): number;
  /** Seconds until there are as many again. */
  resetSeconds(): number;
  /** Takes calls, even more than are left; a negative number gives some back. */
  spend(calls: number): void;
  /** Sets calls aside, which this request then takes first. False, with none set aside, if there are not as many. */
  setAside(calls: number): boolean;
  /** Gives back what is left of the calls that were set aside. */
  end(): void;
}

/** Creates the allowance of a request; `budget` is its caller's, null without a limit. */
export function createCallAllowance(calls: number, budget: CallBudget | null = null): CallAllowance {
  let left = calls;
  const spend = (made: number) => {
    left = Math.max(0, left - made);
    if (made !== 0) budget?.spend(made);
  };
  return {
    left: () => Math.min(left, budget?.left() ?? left),
    take() {
      if (left === 0 || budget?.left() === 0) return false;
      spend(1);
      return true;
    },
    giveBack: () => spend(-1),
    spend,
  };
}
