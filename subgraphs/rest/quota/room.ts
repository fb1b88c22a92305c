import type { LogView, Wanted } from '../ports/quota-log.js';
import { countedOf, type Headroom, type QuotaScope } from './scopes.js';

/**
 * How many calls may join a log, and when the others can. Quantities are calls, unless a name ends in `Ms` or it is a
 * fraction from 0 to 1 (`headroom`):
 *
 *     free     = min(limit − counted, remaining − in flight) − leave      (`roomFor` in ports/quota-log.ts)
 *     leave    = ⌈limit × headroom⌉, or of bulk calls ⌈(free + bulk) / 2⌉
 *     inFlight ≤ a tenth of the limit, from 1 to 8; more while headers report plenty, up to 32
 *
 * What is free is the smaller of what log and headers leave, so that neither a first burst (no headers yet) nor another
 * user of the key (not in the log) leads to a refusal.
 *
 * Example: a limit of 60, an unused log, no headers yet, and 100 reads at once: 6 are sent, 54 wait, each for one of them
 * to be answered, and 40 are told that they can go when the first stops counting: a window and a second after it was
 * answered, at the earliest in 61 s.
 */

/** Effectively no limit, for a service that announces none. */
export const UNLIMITED = 1_000_000;
/** Most calls in flight when little of a window is left, or its service does not report how much is. */
const MAX_AT_END = 8;
/** As many as the bulkhead lets through. */
const MAX_IN_FLIGHT = 32;

/** What a replica may take while it does not know what the others do. */
export interface Share {
  /** Of how many equal parts of the whole its calls must fit one. */
  readonly parts: number;
  /** While calls of the others from before count: how many more it may make, and for how many milliseconds; else null. */
  readonly left: number | null;
  readonly forMs: number;
}

const WHOLE: Share = { parts: 1, left: null, forMs: 0 };

/** What a log, or a replica's share of it, has room for, and how many of the wanted calls it took in: the first ones. */
export class Room {
  private readonly scope: QuotaScope;
  private readonly view: LogView;
  private readonly share: Share;
  private readonly limit: number;
  private readonly remaining: number;
  private readonly leave: number;

  constructor(scope: QuotaScope, headroom: Headroom, view: LogView, share: Share | null) {
    this.scope = scope;
    this.view = view;
    this.share = share ?? WHOLE;
    const { parts, left } = this.share;
    // An undocumented limit is discovered with a single call.
    const limit = view.limit ?? countedOf(scope).limit ?? 1;
    this.limit = left === null ? Math.max(1, Math.floor(limit / parts)) : view.counted + left;
    // What is left of a share is of what the headers left too.
    this.remaining = view.remaining === null ? UNLIMITED : Math.floor(view.remaining / (left === null ? parts : 1));
    this.leave =
      typeof headroom === 'number'
        ? Math.ceil(this.limit * headroom)
        : Math.ceil(Math.max(0, this.free + view.bulk) / 2);
  }

  get granted(): number {
    return this.view.granted;
  }

  /** Calls that are free by both log and headers, without headroom; negative when the limit has shrunk. */
  get free(): number {
    return Math.min(this.limit - this.view.counted, this.remaining - this.view.inFlight);
  }

  /** What a log needs to know to admit calls. */
  bounds(): Omit<Wanted, 'calls' | 'countsMs'> {
    return { limit: this.limit, remaining: this.remaining, leave: this.leave, mostInFlight: this.mostInFlight() };
  }

  /** Milliseconds until time alone makes room: a refusal, the headers' window or the first call's time ends; or infinite. */
  get resumesInMs(): number {
    const { blockedMs, endsInMs, frees } = this.view;
    return Math.min(...[blockedMs, endsInMs, frees[0] ?? 0].map((ms) => ms || Number.POSITIVE_INFINITY));
  }

  /** Milliseconds until the call behind so many others (or permits) may go; 0 if it waits for those in flight alone. */
  startsInMs(ahead: number): number {
    const { counted, frees, endsInMs, blockedMs } = this.view;
    if (this.scope.kind === 'permits') return (counted + ahead) * this.scope.msPerPermit;
    const { countsMs } = countedOf(this.scope);
    // So many must stop counting before. A call in flight may count for a whole window from now on.
    const before = counted + this.leave + ahead + 1 - this.limit;
    if (before > 0 && this.share.left !== null) return Math.max(blockedMs, this.share.forMs);
    const wholeWindows = Math.floor((before - 1) / this.limit);
    const byLogMs =
      before <= 0 ? 0 : Math.min(countsMs, frees[(before - 1) % this.limit] ?? countsMs) + wholeWindows * countsMs;
    // The headers may include all calls in flight: whether they do, the next response shows.
    const byHeadersMs = this.leave + ahead < this.remaining ? 0 : endsInMs;
    return Math.max(blockedMs, byLogMs, byHeadersMs);
  }

  /**
   * How many calls of a scope may be in flight at once: the fewer, the less harm another user of the key does. While the
   * service reports plenty left, a tenth of that may be in flight.
   */
  private mostInFlight(): number {
    if (this.scope.kind !== 'window') return UNLIMITED;
    const atTheEnd = Math.min(MAX_AT_END, Math.max(1, Math.floor(this.limit / 10)));
    if (this.remaining >= UNLIMITED) return atTheEnd;
    const plenty = Math.floor(Math.min(this.remaining, this.limit - this.view.counted) / 10);
    return Math.max(atTheEnd, Math.min(MAX_IN_FLIGHT, plenty));
  }
}
