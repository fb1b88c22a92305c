import { tooManyWaiting } from '../../limits/too-many-waiting.js';
import type { GatewayRequest } from '../../request/request.js';

/** Work for new documents of one caller that may wait. */
const MAX_WAITING = 1_000;

/**
 * Does work for a request once all that its caller asked for before is done: whoever sends many new documents delays only
 * their own. Rejects for a request that ended meanwhile, and with TOO_MANY_REQUESTS where too much of the same caller
 * waits.
 */
export type CallerQueue = <T>(
  request: Pick<GatewayRequest, 'callerId' | 'signal'>,
  work: () => Promise<T>,
) => Promise<T>;

/** Creates a queue in which nothing waits. */
export function createCallerQueue(): CallerQueue {
  const callers = new Map<string, { waiting: number; last: Promise<unknown> }>();

  return async ({ callerId, signal }, work) => {
    const caller = callers.get(callerId) ?? { waiting: 0, last: Promise.resolve() };
    if (caller.waiting >= MAX_WAITING) throw tooManyWaiting('new operations');
    callers.set(callerId, caller);
    caller.waiting += 1;
    const done = caller.last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    caller.last = done
      .catch(() => {})
      .then(() => {
        caller.waiting -= 1;
        if (caller.waiting === 0) callers.delete(callerId);
      });
    return done;
  };
}
