import { CodedError } from '../../kernel/errors.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';

/** How many pieces of work of one caller may wait. */
const MAX_WAITING = 1_000;

/**
 * Runs work for a request once all earlier work of its caller is done, so that whoever sends many new documents delays
 * only their own. Rejects if the request ended meanwhile, and with TOO_MANY_REQUESTS if too much of the same caller is
 * waiting.
 */
type CallerQueue = <T>(request: Pick<GatewayRequest, 'callerId' | 'signal'>, work: () => Promise<T>) => Promise<T>;

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

/** Operations up to this estimated size never wait. */
const SMALL_BYTES = 256 * 1024;

/** How many large operations of one caller may wait. */
const MAX_LARGE_WAITING = 100;

/**
 * Large operations in progress: while it is being made, a response takes several times its size in memory. Those of one
 * caller run side by side up to the size of one largest response; the rest wait in order of arrival. No caller waits
 * for another.
 */
export interface LargeOperations {
  /**
   * Resolves when an operation of this estimated size may start. Rejects with DEADLINE_EXCEEDED if that is too late,
   * and with TOO_MANY_REQUESTS if too many of the same caller are waiting. A request that was admitted does not wait
   * again.
   */
  admit(request: GatewayRequest, bytes: number): Promise<void>;
  /** Call it when the response is made, or never will be. Does nothing for a request that was not admitted. */
  release(request: GatewayRequest): void;
}

interface Waiting {
  readonly request: GatewayRequest;
  readonly bytes: number;
  begin(): void;
}

interface Caller {
  /** Estimated bytes of the operations in progress. */
  bytes: number;
  readonly waiting: Waiting[];
}

/** Creates it empty. `maxBytes` is the size of the largest response. */
export function createLargeOperations(maxBytes: number): LargeOperations {
  const callers = new Map<string, Caller>();
  const underWay = new WeakMap<GatewayRequest, number>();

  function begin(caller: Caller, request: GatewayRequest, bytes: number): void {
    caller.bytes += bytes;
    underWay.set(request, bytes);
  }

  const fits = (caller: Caller, bytes: number) => caller.bytes === 0 || caller.bytes + bytes <= maxBytes;

  function beginNext(caller: Caller): void {
    for (let [next] = caller.waiting; next !== undefined && fits(caller, next.bytes); [next] = caller.waiting) {
      caller.waiting.shift();
      begin(caller, next.request, next.bytes);
      next.begin();
    }
  }

  function callerOf({ callerId }: GatewayRequest): Caller {
    const caller = callers.get(callerId) ?? { bytes: 0, waiting: [] };
    callers.set(callerId, caller);
    return caller;
  }

  return {
    async admit(request, bytes) {
      if (bytes <= SMALL_BYTES || underWay.has(request)) return;
      const caller = callerOf(request);
      if (caller.waiting.length === 0 && fits(caller, bytes)) {
        begin(caller, request, bytes);
        return;
      }
      if (caller.waiting.length >= MAX_LARGE_WAITING) throw tooManyWaiting('large operations');
      const turn = new Promise<void>((resolve) => caller.waiting.push({ request, bytes, begin: resolve }));
      await settleInTime(turn, request);
    },
    release(request) {
      const caller = callers.get(request.callerId);
      if (caller === undefined) return;
      const left = caller.waiting.findIndex((one) => one.request === request);
      if (left >= 0) caller.waiting.splice(left, 1);
      caller.bytes -= underWay.get(request) ?? 0;
      underWay.delete(request);
      beginNext(caller);
      if (caller.bytes === 0) callers.delete(request.callerId);
    },
  };
}

/** Most slots of one caller. */
const MAX_SLOTS = 128;

/**
 * A bounded number of slots, such as connections, for which callers take turns. A caller may hold as many as are free,
 * so that however many callers hold all that they may, the next one finds some: of 512, the first holds 128, and of
 * twenty who all wait for the same source, each 24.
 */
export interface CallerSlots {
  /**
   * Resolves with a function that frees the slot again. Rejects when the request is cut off, and with
   * TOO_MANY_REQUESTS if too much of the same caller is waiting.
   */
  enter(request: Pick<GatewayRequest, 'callerId' | 'onCutoff'>): Promise<() => void>;
}

/** Creates slots that are all free. */
export function createCallerSlots(slots: number): CallerSlots {
  let free = slots;
  const held = new Map<string, number>();
  /** What waits of each caller, the callers in order of their turns. */
  const waiting = new Map<string, Set<() => void>>();

  const mayEnter = (callerId: string) => (held.get(callerId) ?? 0) < Math.min(MAX_SLOTS, free);

  function take(callerId: string): () => void {
    free -= 1;
    held.set(callerId, (held.get(callerId) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free += 1;
      const left = (held.get(callerId) ?? 1) - 1;
      if (left === 0) held.delete(callerId);
      else held.set(callerId, left);
      serve();
    };
  }

  /** Admits whose turn it is, until nobody may enter. */
  function serve(): void {
    for (const [callerId, lined] of waiting) {
      if (free === 0) return;
      if (!mayEnter(callerId)) continue;
      const [enter] = lined;
      // Who is still waiting has the next turn after all others.
      waiting.delete(callerId);
      if (enter === undefined) continue;
      lined.delete(enter);
      if (lined.size > 0) waiting.set(callerId, lined);
      enter();
    }
  }

  return {
    async enter(request) {
      const { callerId } = request;
      const lined = waiting.get(callerId) ?? new Set();
      if (lined.size === 0 && mayEnter(callerId)) return take(callerId);
      if (lined.size >= MAX_WAITING) throw tooManyWaiting('operations');
      waiting.set(callerId, lined);
      return new Promise((resolve, reject) => {
        const enter = () => {
          end();
          resolve(take(callerId));
        };
        lined.add(enter);
        const end = request.onCutoff((reason) => {
          lined.delete(enter);
          if (lined.size === 0 && waiting.get(callerId) === lined) waiting.delete(callerId);
          reject(reason);
        });
      });
    },
  };
}

/** In whole seconds. Short, since the caller's earlier operations keep ending. */
const RETRY_SECONDS = 1;

/** The error for an operation whose caller already has too many others waiting. */
function tooManyWaiting(operations: string): CodedError {
  const message = `Too many of your ${operations} are queued; send fewer at once.`;
  return new CodedError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: RETRY_SECONDS });
}
