import { type LimitHeaders, secondsTo } from './limit-headers.js';
import type { Policy, Standing } from './policy.js';

/** What a caller may still spend on the upstream calls of one request. */
export interface CallBudget {
  /** Sets calls aside. False where the window has fewer left: then none are. */
  reserve(calls: number): Promise<boolean>;
  /** Sets aside as many of those wanted as are left; none, and null, where that is fewer than needed. */
  reserveUpTo(wanted: number, needed: number): Promise<number | null>;
  /** These calls were made: what was set aside beyond them is given back. Headers that say what is left. */
  settle(made: number): LimitHeaders;
  /** Why calls could not be set aside. */
  refusal(): string;
}

/** Creates the budget of a caller under a policy. */
export function createCallBudget(
  policy: Policy,
  callerId: string,
  headersOf: (standing: Standing) => LimitHeaders,
): CallBudget {
  let reserved = 0;
  let last: Standing | null = null;

  async function reserve(calls: number): Promise<boolean> {
    if (calls === 0) {
      // What was refused before was a higher price.
      last = last && { ...last, isRefused: false };
      return true;
    }
    last = await policy.reserve(callerId, calls);
    if (!last.isRefused) reserved += calls;
    return !last.isRefused;
  }

  return {
    reserve,
    async reserveUpTo(wanted, needed) {
      if (await reserve(wanted)) return wanted;
      const left = last?.left ?? 0;
      return left >= needed && (await reserve(left)) ? left : null;
    },
    settle(made) {
      const unused = reserved - made;
      reserved = 0;
      // Nobody waits for it, and a store that is away is reported elsewhere.
      policy.settle(callerId, unused).catch(() => {});
      if (last === null) return {};
      last = { ...last, left: Math.max(0, last.left + unused) };
      return { ...headersOf(last), ...(last.isRefused && { 'retry-after': String(secondsTo(last.endsMs)) }) };
    },
    refusal: () =>
      `A caller may make ${policy.limit} upstream calls a minute, and this operation would take more than are left.`,
  };
}
