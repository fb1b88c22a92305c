import type { OperationContext } from '../../../schema/operation.js';
import type { UpstreamCall } from '../../../schema/trace.js';

interface UnattendedOptions {
  /** What it is for; used as the request id. */
  readonly purpose: string;
  /** Milliseconds that its calls may take. */
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Whether it yields to callers' requests. */
  readonly background?: boolean;
  /** Called for each upstream call, in addition to metrics and log. */
  readonly onCall?: (call: UpstreamCall) => void;
}

/** An operation that the process itself starts, as a separate request without a caller's key. */
export function unattendedOperation({ purpose, ms, signal, background, onCall }: UnattendedOptions): OperationContext {
  return {
    requestId: purpose,
    request: {},
    deadline: { remainingMs: () => ms },
    signal,
    credential: null,
    internal: false,
    background: background ?? false,
    planNode: '',
    recorder: { elapsedMs: () => 0, record: (call) => onCall?.(call), forbidCaching() {} },
  };
}
