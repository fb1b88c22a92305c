import type { LimitHeaders } from '../callers/rate-limit.js';
import type { MemoryResponse, WhyExecuted } from '../memory/memory.js';
import type { Caller } from './caller.js';

/** What the fast path has read of a request that it leaves to the router. */
export interface Handover {
  readonly id: string;
  /** Null if the body never arrived completely. */
  readonly body: Buffer | null;
  /** Null if the fast path could not try it, as with a body that it does not know. */
  readonly tried: Tried | null;
}

/** The result of trying to answer from the cache. */
export interface Tried {
  readonly caller: Caller;
  /** The response; or why the request has to be executed; null if memory was not tried. */
  readonly response: MemoryResponse | WhyExecuted | null;
  /** Headers that report what the caller has left. */
  readonly limits: LimitHeaders;
}

const handovers = new WeakMap<object, Handover>();

/** Stores what was read of a node request, for whoever answers it. */
export function handOver(request: object, handover: Handover): void {
  handovers.set(request, handover);
}

/** What the fast path has read of a request; undefined if it did not take the request. */
export function handoverOf(request: object): Handover | undefined {
  return handovers.get(request);
}
