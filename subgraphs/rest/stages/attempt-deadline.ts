import type { ServiceName } from '../../../schema/services.js';
import type { Stage } from '../call/call.js';
import { timedOut } from '../failures/errors.js';
import type { Clock } from '../ports/clock.js';

/** Milliseconds for one attempt, unless the request says otherwise (reliability 4). */
const ATTEMPT_MS = 10_000;

/**
 * Ends an attempt that takes too long by closing its socket. That ends the whole call, because a late attempt is never
 * retried. The request's own deadline is watched where callers wait.
 */
export function attemptDeadline({ service, clock }: { service: ServiceName; clock: Clock }): Stage {
  return (next) => async (call) => {
    let late = false;
    const cancel = clock.after(call.request.attemptMs ?? ATTEMPT_MS, () => {
      late = true;
      call.stop();
    });
    try {
      return await next(call);
    } catch (error) {
      throw late ? timedOut(service) : error;
    } finally {
      cancel();
    }
  };
}
