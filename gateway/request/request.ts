import { setMaxListeners } from 'node:events';
import { CodedError } from '../../schema/errors.js';
import type { OperationContext } from '../../schema/operation.js';
import type { ServiceName } from '../../schema/services.js';
import type { CallerCredentials } from './credentials.js';
import { createRequestLedger, type RequestLedger } from './request-ledger.js';

/** One request of a client, from its first byte to its answer. Its identity is what loaders live by. */
export interface GatewayRequest {
  readonly id: string;
  /** Aborts when the client is gone or the time is over: every call made for the request ends with it. */
  readonly signal: AbortSignal;
  readonly ledger: RequestLedger;
  /**
   * Tells when the client is gone, or shortly after the time is over: calls that ended in time have arrived by then
   * with what they have, and what hangs is cut off. Returns how to stop listening.
   */
  onCutoff(listener: CutoffListener): () => void;
  /** Milliseconds left of the time allowed, never negative. */
  remainingMs(): number;
  /** What one operation of a service gets: the caller's credential for that service and for no other. */
  operationOf(service: ServiceName, planNode: string): OperationContext;
  /** The client is gone: what still runs for it is cancelled. */
  abandon(): void;
  /** The answer is made: the clock stops. */
  finish(): void;
}

export type CutoffListener = (reason: CodedError) => void;

export interface GatewayRequestOptions {
  readonly id: string;
  readonly deadlineMs: number;
  readonly credentials: CallerCredentials;
  /** Whether the rows of the ledger will be shown; they are counted in any case. */
  readonly keepCalls: boolean;
  /** True for the gateway's own operations, which are on no client's plan: opens the fields that only it may select. */
  readonly internal?: boolean;
}

/** Time after the deadline to collect partial results: the toolkit ends each call within 100 ms. */
const GRACE_MS = 250;

/** Begins a request: its clock runs from now. */
export function createGatewayRequest(options: GatewayRequestOptions): GatewayRequest {
  const { id, deadlineMs, credentials } = options;
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const remainingMs = () => Math.max(0, deadlineMs - elapsedMs());
  const { signal, abort } = createAbort();
  const listeners = new Set<CutoffListener>();
  let cutOffBy: CodedError | null = null;
  const stop = (reason: CodedError) => {
    abort(reason);
    cutOffBy = reason;
    for (const listener of listeners) listener(reason);
  };
  let timer = setTimeout(() => {
    timer = setTimeout(stop, GRACE_MS, deadlineExceeded());
    abort(deadlineExceeded());
  }, deadlineMs);
  const ledger = createRequestLedger(elapsedMs, options.keepCalls);
  const deadline = { remainingMs };
  const request: GatewayRequest = {
    id,
    signal,
    ledger,
    remainingMs,
    onCutoff(listener) {
      if (cutOffBy !== null) listener(cutOffBy);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    operationOf: (service, planNode) => ({
      requestId: id,
      request,
      deadline,
      signal,
      credential: credentials[service],
      internal: options.internal ?? false,
      planNode,
      ledger,
    }),
    abandon: () => stop(new CodedError('DEADLINE_EXCEEDED', 'The client is gone.')),
    finish: () => clearTimeout(timer),
  };
  return request;
}

/** Every call of the request listens to the signal; Node would take more than ten for a leak. */
function createAbort(): { readonly signal: AbortSignal; abort(reason: CodedError): void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}

/** The error of everything that the end of the time allowed cuts off. */
function deadlineExceeded(): CodedError {
  return new CodedError('DEADLINE_EXCEEDED', 'The time allowed for this request is over.');
}
