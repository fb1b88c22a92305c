import { CodedError } from '../../../schema/errors.js';
import type { Credential } from '../../../schema/operation.js';
import type { ServiceName } from '../../../schema/services.js';
import type { Call, CallResponse, Handler, Stage } from '../call/call.js';
import type { Clock } from '../ports/clock.js';

interface RefusedKeyOptions {
  readonly service: ServiceName;
  readonly operatorKey: Credential | null;
  readonly clock: Clock;
  /** Hears of each response to the operator's key whether it was refused. */
  readonly onVerdict: (refused: boolean) => void;
}

/** A key refused for this long is tried only this often: its operator has to fix it. */
const LONG_MS = 60_000;

/** The refusals since the service last took the key. */
interface Refused {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly message: string;
}

/**
 * An operator's key that the service has refused for a minute is sent only once a minute: each such call is spent for
 * nothing, and is an error in the log. A caller's own key is their own affair; that the service took it is noted.
 */
export function refusedKey({ service, operatorKey, clock, onVerdict }: RefusedKeyOptions): Stage {
  let refused: Refused | null = null;
  return (next) => async (call) => {
    if (operatorKey === null || call.credential !== operatorKey) return withOwnKey(call, next);
    const nowMs = clock.monotonicMs();
    if (refused !== null && nowMs - refused.sinceMs >= LONG_MS && nowMs - refused.lastMs < LONG_MS) {
      throw new CodedError('SOURCE_OFF', refused.message, { service });
    }
    try {
      const response = await next(call);
      refused = null;
      onVerdict(false);
      return response;
    } catch (error) {
      if (isRefusal(error, call)) {
        const lastMs = clock.monotonicMs();
        refused = { sinceMs: refused?.sinceMs ?? lastMs, lastMs, message: error.message };
        onVerdict(true);
      } else if (call.trail.head !== null) {
        refused = null;
        onVerdict(false);
      }
      throw error;
    }
  };
}

async function withOwnKey(call: Call, next: Handler): Promise<CallResponse> {
  const response = await next(call);
  call.trail.tookOwnKey = call.credential !== null;
  return response;
}

function isRefusal(error: unknown, { trail }: Call): error is CodedError {
  return error instanceof CodedError && error.code === 'SOURCE_OFF' && trail.head?.status === 401;
}
