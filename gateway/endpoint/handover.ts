import type { LimitHeaders } from '../callers/limit-headers.js';
import type { DirectResponse, WhyGeneral } from '../execution/direct/direct-executor.js';
import type { Caller } from './caller.js';

/** What the fast path has read of a request that the router answers. */
export interface Handover {
  readonly id: string;
  /** Null for one whose end did not arrive. */
  readonly body: Buffer | null;
  /** Null for a body that was not executed before. */
  readonly tried: Tried | null;
}

/** What came of answering from the cache. */
export interface Tried {
  readonly caller: Caller;
  /** The response; why it has to be executed; null for one that is not answered so anyway. */
  readonly response: DirectResponse | WhyGeneral | null;
  /** Headers that say what the caller has left. */
  readonly limits: LimitHeaders;
}

const handovers = new WeakMap<object, Handover>();

/** Leaves what was read of a request, as node gives it, to whoever answers it. */
export function handOver(request: object, handover: Handover): void {
  handovers.set(request, handover);
}

/** What the fast path has read of a request; undefined if it did not take it. */
export function handoverOf(request: object): Handover | undefined {
  return handovers.get(request);
}
