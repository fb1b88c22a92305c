import { type LimitHeaders, secondsTo } from './limit-headers.js';
import type { Policy, Standing } from './policy.js';

/** What a caller may still spend on the upstream calls of one request. */
export interface CallBudget {
  /** Calls that a caller may make in a minute. */
  readonly limit: number;
  /** Sets aside as many calls as this, with those that are already. False where the window has fewer left: then no more are. */
  reserve(calls: number): Promise<boolean>;
  /** Sets aside as many of those wanted as there are; no more, and null, where those are fewer than needed. */
  reserveUpTo(wanted: number, needed: number): Promise<number | null>;
  /** These calls were made. What was set aside beyond them is given back, but for what is `stillNeeded`. */
  settle(made: number, stillNeeded?: number): void;
  /** Headers that say what is left; none where nothing was set aside. */
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
  /** The minute that a reservation belongs to is over: the next one owes nothing for it, and gets nothing back. */
  const hasLapsed = () => last !== null && Date.now() >= last.endsMs;

  async function reserve(calls: number): Promise<boolean> {
    if (hasLapsed()) reserved = 0;
    const more = calls - reserved;
    if (more <= 0) {
      // What was refused before was a higher price.
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
      // Nobody waits for it, and a store that is away is reported elsewhere.
      policy.settle(callerId, unused).catch(() => {});
    },
    headers() {
      if (last === null) return {};
      return { ...headersOf(last), ...(last.isRefused && { 'retry-after': String(secondsTo(last.endsMs)) }) };
    },
  };
}
