import type { GatewayRequest } from '../request/request.js';
import { tooManyWaiting } from './too-many-waiting.js';

/** How many pieces of work of one caller may wait. */
const MAX_WAITING = 1_000;

/**
 * Runs work for a request once all earlier work of its caller is done, so that whoever sends many new documents delays
 * only their own. Rejects if the request ended meanwhile, and with TOO_MANY_REQUESTS if too much of the same caller is
 * waiting.
 */
export type CallerQueue = <T>(
  request: Pick<GatewayRequest, 'callerId' | 'signal'>,
  work: () => Promise<T>,
) => Promise<T>;

/** Creates an empty queue. */
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
