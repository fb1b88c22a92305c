import type { OperationContext } from '../../../schema/operation.js';
import type { UpstreamCall } from '../../../schema/trace.js';

export interface UnattendedOptions {
  /** What it is for: stands in the place of a request's id. */
  readonly purpose: string;
  /** Milliseconds that its calls may take. */
  readonly ms: number;
  readonly signal: AbortSignal;
  /** Whether it yields to people's calls. */
  readonly background?: boolean;
  /** Hears of its calls, beside metrics and log. */
  readonly onCall?: (call: UpstreamCall) => void;
}

/** An operation that no caller asked for, of a request of its own and without a caller's key. */
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
    ledger: { elapsedMs: () => 0, record: (call) => onCall?.(call) },
  };
}
