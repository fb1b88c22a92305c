import { setMaxListeners } from 'node:events';
import { createCallAllowance } from '../../schema/call-allowance.js';
import { CodedError } from '../../schema/errors.js';
import type { Credential, OperationContext } from '../../schema/operation.js';
import type { UpstreamCall } from '../../schema/trace.js';
import type { Tracing } from '../../schema/tracing.js';
import { takeTurnsFor } from '../event-loop/turn-queue.js';
import { oneHeader, type RequestHeaders, readTraceparent, requestIdOf } from '../http/request-headers.js';

/** One operation that a subgraph received over HTTP. Loaders live as long as it does. */
export interface SubgraphOperation {
  readonly context: OperationContext;
  /** The calls recorded so far. */
  readonly calls: readonly UpstreamCall[];
  /** Whether the response may be cached while all of its calls are fresh. */
  readonly isCacheable: boolean;
  /** Cancels the calls of a caller who has disconnected. */
  cancel(): void;
  finish(): void;
}

/** Headers and credential of a request to a subgraph, and the most milliseconds that it may take. */
export interface SubgraphOperationOptions {
  readonly headers: RequestHeaders;
  readonly credential: Credential | null;
  /** Whether it came with the subgraph token: only then may it select internal fields and name its caller. */
  readonly trusted: boolean;
  readonly longestMs: number;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
}

/** Starts an operation from its headers: request id, milliseconds left, plan node (architecture 2). */
export function startSubgraphOperation(options: SubgraphOperationOptions): SubgraphOperation {
  const { headers, credential, trusted, longestMs } = options;
  const span = options.tracing?.start('subgraph', readTraceparent(headers));
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const allowedMs = readMilliseconds(oneHeader(headers, 'x-passerelle-deadline-ms'), longestMs);
  const controller = new AbortController();
  // Every call of the operation listens; Node would report more than ten listeners as a leak.
  setMaxListeners(0, controller.signal);
  const timer = setTimeout(() => {
    controller.abort(new CodedError('DEADLINE_EXCEEDED', 'The deadline of the request was exceeded.'));
  }, allowedMs);
  const calls: UpstreamCall[] = [];
  let isCacheable = true;
  const forbidCaching = () => {
    isCacheable = false;
  };
  const request = {};
  const caller = trusted ? oneHeader(headers, 'x-passerelle-caller') : undefined;
  if (caller !== undefined) takeTurnsFor(caller, request);
  return {
    calls,
    get isCacheable() {
      return isCacheable;
    },
    cancel: () => controller.abort(new CodedError('DEADLINE_EXCEEDED', 'The client disconnected.')),
    finish() {
      clearTimeout(timer);
      span?.end();
    },
    context: {
      requestId: requestIdOf(headers),
      request,
      deadline: { remainingMs: () => Math.max(0, allowedMs - elapsedMs()) },
      signal: controller.signal,
      credential,
      internal: trusted,
      planNode: oneHeader(headers, 'x-passerelle-fetch') ?? '',
      ...(span !== undefined && { span }),
      recorder: { elapsedMs, record: (call) => calls.push(call), forbidCaching },
      ...allowanceOf(oneHeader(headers, 'x-passerelle-calls-left')),
      ...(oneHeader(headers, 'x-passerelle-dry-run') === '1' && { dryRun: true }),
    },
  };
}

/** How many calls the gateway allows this operation; without a valid header, there is no limit. */
function allowanceOf(text: string | undefined): Pick<OperationContext, 'allowance'> {
  return text !== undefined && /^\d{1,9}$/.test(text) ? { allowance: createCallAllowance(Number(text)) } : {};
}

/** Milliseconds given in a header, at most `longestMs`; `longestMs` if it cannot be read. */
function readMilliseconds(text: string | undefined, longestMs: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text), longestMs) : longestMs;
}
