import { setMaxListeners } from 'node:events';
import { CodedError } from '../../kernel/errors.js';
import type { Span } from '../../kernel/log.js';
import type { CallAllowance, OperationContext } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { takeTurnsFor } from '../../runtime/event-loop/turn-queue.js';
import { createRequestRecorder, type RequestRecorder } from './call-recorder.js';
import type { CallerCredentials } from './credentials.js';

/** One client request, from arrival to response. Loaders are keyed by its identity. */
export interface GatewayRequest {
  readonly id: string;
  /** The identifier that its caller's limits are counted by. */
  readonly callerId: string;
  /** Aborts when the client disconnects or the deadline is over, and with it every call made for the request. */
  readonly signal: AbortSignal;
  readonly recorder: RequestRecorder;
  /** Calls that it may still make; null if unlimited. */
  readonly allowance: CallAllowance | null;
  /** The span of the request; null if nothing is traced. */
  readonly span: Span | null;
  /** Its `traceparent`, even if only the caller traces; undefined if nobody does. */
  readonly traceparent: string | undefined;
  /**
   * Calls back when the client disconnects, or shortly after the deadline: results that were in time have arrived by
   * then, and whatever still hangs is cut off. Returns a function that removes the listener.
   */
  onCutoff(listener: CutoffListener): () => void;
  /** Milliseconds until the deadline, never negative. */
  remainingMs(): number;
  /** The context of one operation, with the caller's credential for that service only. */
  operationOf(service: ServiceName, planNode: string, span?: Span): OperationContext;
  /** A dry run of this request, within its time and with its credentials, which makes no call. */
  dryRun(onCall: (call: UpstreamCall) => void): GatewayRequest;
  /** Call it when the client disconnected: cancels everything that still runs. */
  cancel(): void;
  /** Call it when the response is complete: stops the deadline timer. */
  finish(): void;
}

/** Receives the error for everything that is cut off. */
export type CutoffListener = (reason: CodedError) => void;

/** What a request is created from. */
export interface GatewayRequestOptions {
  readonly id: string;
  readonly callerId: string;
  readonly deadlineMs: number;
  readonly credentials: CallerCredentials;
  /** Whether the recorder lists calls; they are counted in any case. */
  readonly recordCalls: boolean;
  /** True for the gateway's own operations, which may select internal fields. */
  readonly internal?: boolean;
  /** Present in a dry run, which makes no call: receives each call that would be needed. */
  readonly dryRun?: (call: UpstreamCall) => void;
  /** Calls that it may make; unlimited if omitted. */
  readonly allowance?: CallAllowance | null;
  /** The span of the request; if omitted, it is not traced. */
  readonly span?: Span | null;
  /** As the caller sent it. */
  readonly traceparent?: string | undefined;
}

/** Time to collect partial results after the deadline; upstream calls end within 100 ms of it. */
const GRACE_MS = 250;

/** Starts a request and its deadline. */
export function createGatewayRequest(options: GatewayRequestOptions): GatewayRequest {
  const { id, callerId, deadlineMs, credentials } = options;
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
  const counted = createRequestRecorder(elapsedMs, options.recordCalls);
  const { dryRun, allowance = null } = options;
  const recorder = dryRun === undefined ? counted : { ...counted, record: dryRun };
  const deadline = { remainingMs };
  const request: GatewayRequest = {
    id,
    callerId,
    signal,
    recorder,
    allowance,
    span: options.span ?? null,
    traceparent: options.span?.traceparent ?? options.traceparent,
    remainingMs,
    onCutoff(listener) {
      if (cutOffBy !== null) listener(cutOffBy);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    operationOf: (service, planNode, span) => ({
      requestId: id,
      request,
      deadline,
      signal,
      credential: credentials[service],
      internal: options.internal ?? false,
      planNode,
      recorder,
      ...(allowance !== null && { allowance }),
      ...(dryRun !== undefined && { dryRun: true }),
      ...(span !== undefined && { span }),
    }),
    dryRun(onCall) {
      const dry = createGatewayRequest({
        ...options,
        deadlineMs: remainingMs(),
        recordCalls: false,
        dryRun: onCall,
        span: null,
      });
      request.onCutoff(dry.cancel);
      return dry;
    },
    cancel: () => stop(new CodedError('DEADLINE_EXCEEDED', 'The client disconnected.')),
    finish: () => clearTimeout(timer),
  };
  takeTurnsFor(callerId, request);
  return request;
}

/** Every call listens to the signal; Node would report more than ten listeners as a leak. */
function createAbort(): { readonly signal: AbortSignal; abort(reason: CodedError): void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}

/** The error for everything that the deadline cuts off. */
function deadlineExceeded(): CodedError {
  return new CodedError('DEADLINE_EXCEEDED', 'The deadline of the request was exceeded.');
}
