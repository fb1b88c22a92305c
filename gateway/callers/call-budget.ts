import { type LimitHeaders, secondsTo } from './limit-headers.js';
import type { Policy, Standing } from './policy.js';

/** What a caller may still spend on the upstream calls of one request. */
export interface CallBudget {
  /** Calls that a caller may make in a minute. */
  readonly limit: number;
  /** Raises the calls that are set aside to `calls`. False, with no more set aside, if the window has too few left. */
  reserve(calls: number): Promise<boolean>;
  /** Sets aside up to `wanted` calls and returns how many; null, with no more set aside, if `needed` are not left. */
  reserveUpTo(wanted: number, needed: number): Promise<number | null>;
  /** Call it with the calls that were made: gives back the rest of what was set aside, except what is `stillNeeded`. */
  settle(made: number, stillNeeded?: number): void;
  /** Headers that report what is left; empty if nothing was ever set aside. */
  headers(): LimitHeaders;
}

/** Creates the budget of a caller under a policy. */
export function createCallBudget(
  policy: Policy,
  callerId: string,
  headersOf: (standing: Standing) => LimitHeaders,
): CallBudget {
  let reserved = 0;
  let last: Standing | null = null;
  /** Whether the minute of the reservation is over: then nothing of it carries over or is given back. */
  const hasLapsed = () => last !== null && Date.now() >= last.endsMs;

  async function reserve(calls: number): Promise<boolean> {
    if (hasLapsed()) reserved = 0;
    const more = calls - reserved;
    if (more <= 0) {
      // An earlier refusal was for a higher price.
      last = last && { ...last, isRefused: false };
      return true;
    }
    last = await policy.reserve(callerId, more);
    if (!last.isRefused) reserved = calls;
    return !last.isRefused;
  }

  return {
    limit: policy.limit,
    reserve,
    async reserveUpTo(wanted, needed) {
      if (await reserve(wanted)) return wanted;
      const available = reserved + (last?.left ?? 0);
      return available >= needed && (await reserve(available)) ? available : null;
    },
    settle(made, stillNeeded = 0) {
      const rest = reserved - made;
      reserved = hasLapsed() ? 0 : Math.max(0, Math.min(rest, stillNeeded));
      const unused = hasLapsed() ? Math.min(0, rest) : rest - reserved;
      last = last && { ...last, left: Math.max(0, last.left + unused) };
      // Nobody waits for this, and an unreachable store is reported elsewhere.
      policy.settle(callerId, unused).catch(() => {});
    },
    headers() {
      if (last === null) return {};
      return { ...headersOf(last), ...(last.isRefused && { 'retry-after': String(secondsTo(last.endsMs)) }) };
    },
  };
}
