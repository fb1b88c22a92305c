import type { ServiceName } from '../../../schema/services.js';
import type { Stage } from '../call/call.js';
import { timedOut } from '../failures/errors.js';
import type { Clock } from '../ports/clock.js';

/** Time for one attempt, unless a request says otherwise (reliability 4). */
const ATTEMPT_MS = 10_000;

/** Ends an attempt that takes too long, by closing its socket. The request's own time is watched where callers wait. */
export function attemptDeadline({ service, clock }: { service: ServiceName; clock: Clock }): Stage {
  return (next) => async (call) => {
    const controller = new AbortController();
    const abort = () => controller.abort(call.signal.reason);
    if (call.signal.aborted) abort();
    call.signal.addEventListener('abort', abort, { once: true });
    let late = false;
    const cancel = clock.after(call.request.attemptMs ?? ATTEMPT_MS, () => {
      late = true;
      controller.abort();
    });
    try {
      return await next({ ...call, signal: controller.signal });
    } catch (error) {
      throw late ? timedOut(service) : error;
    } finally {
      cancel();
      call.signal.removeEventListener('abort', abort);
    }
  };
}
