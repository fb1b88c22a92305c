import { CodedError } from '../../kernel/errors.js';
import type { GatewayRequest } from '../request/request.js';

/** How much of something callers may take, such as connections, and how much may wait for it. */
interface QueueRules {
  /** What takes it, for the message of a refusal. */
  readonly name: string;
  /** The most that one caller may hold. A single piece of work may be larger. */
  readonly ofCaller: number;
  /** The most that all callers may hold together; without it, no caller waits for another. */
  readonly ofAll?: number;
  /** How many pieces of work of one caller may wait. */
  readonly waiting: number;
}

/**
 * Work that waits for its caller's earlier work, so that whoever sends much delays only their own. Where all callers
 * share a bound, they take turns, and each may hold as much as is free, so that however many hold all that they may, the
 * next one finds some: of 512, one that may hold 128 leaves 384, and twenty who all wait hold 24 each.
 */
interface CallerQueue {
  /**
   * Resolves, when work of this size may start, with a function to call when it has ended. Rejects when the request is
   * cut off, and with TOO_MANY_REQUESTS if too much of the same caller is waiting.
   */
  enter(request: Pick<GatewayRequest, 'callerId' | 'onCutoff'>, size?: number): Promise<() => void>;
}

interface Waiting {
  readonly size: number;
  begin(): void;
}

/** Creates an empty queue. */
export function createCallerQueue(rules: QueueRules): CallerQueue {
  const { name, ofCaller, ofAll = Number.POSITIVE_INFINITY } = rules;
  let free = ofAll;
  const held = new Map<string, number>();
  /** What waits of each caller, the callers in the order in which they are next. */
  const waiting = new Map<string, Set<Waiting>>();

  function fits(callerId: string, size: number): boolean {
    const own = held.get(callerId) ?? 0;
    return size <= free && (own === 0 || own + size <= Math.min(ofCaller, free));
  }

  function take(callerId: string, size: number): () => void {
    const change = (by: number) => {
      free -= by;
      const own = (held.get(callerId) ?? 0) + by;
      if (own === 0) held.delete(callerId);
      else held.set(callerId, own);
    };
    change(size);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      change(-size);
      for (const [next, lined] of waiting) {
        const [first] = lined;
        if (first === undefined || !fits(next, first.size)) continue;
        // Who is still waiting is next after all others.
        waiting.delete(next);
        if (lined.size > 1) waiting.set(next, lined);
        first.begin();
      }
    };
  }

  return {
    async enter(request, size = 1) {
      const { callerId } = request;
      const lined = waiting.get(callerId) ?? new Set();
      if (lined.size === 0 && fits(callerId, size)) return take(callerId, size);
      if (lined.size >= rules.waiting) throw tooManyWaiting(name);
      waiting.set(callerId, lined);
      return new Promise((resolve, reject) => {
        let stopListening = () => {};
        const leave = () => {
          stopListening();
          lined.delete(one);
          if (lined.size === 0 && waiting.get(callerId) === lined) waiting.delete(callerId);
        };
        const begin = () => {
          leave();
          resolve(take(callerId, size));
        };
        const one: Waiting = { size, begin };
        lined.add(one);
        stopListening = request.onCutoff((reason) => {
          leave();
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
