import type { Bounds, LogView } from '../ports/quota-log.js';
import type { Headroom, QuotaScope } from './account.js';

/**
 * How many calls may join a log, and when the others can. Quantities are calls, unless a name ends in `Ms` or it is a
 * fraction from 0 to 1 (`headroom`, `left`):
 *
 *     freeByLog     = limit − counted                       what the log leaves: our own calls, of all replicas
 *     freeByHeaders = remaining − in flight                 what the lowest `remaining` that was heard leaves
 *     free          = min(freeByLog, freeByHeaders)
 *     headroomCalls = ⌈limit × headroom⌉                    what this class of calls must leave; if bulk,
 *                     ⌈(free + bulk) / 2⌉                     half of what there would be without bulk calls
 *     mostInFlight  = a tenth of the limit, from 1 to 8; more while headers report plenty, up to 32
 *
 * What is free is the smaller of what log and headers leave, so that neither a first burst (no headers yet) nor another
 * user of the key (not in the log) leads to a refusal.
 *
 * Example: a limit of 60, an unused account, no headers yet, and 100 reads at once: 60 get a place, of which 6 are sent,
 * and each of the others when one has landed. The next one can go when the first stops counting: a window and a second
 * after it has landed, at the earliest in 61 s.
 */

/** Effectively no limit, for a service that announces none. */
export const UNLIMITED = 1_000_000;
/** For so many windows a limit that was reported holds without a response that confirms it. */
export const LIMIT_HOLDS_WINDOWS = 3;

/** How a scope counts. */
interface Counted {
  /** Calls that may count; null if unknown. */
  readonly limit: number | null;
  /** For how many milliseconds one counts after landing. */
  readonly countsMs: number;
  /** Added to every end that the service names, because services round them. */
  readonly guardMs: number;
}

const GUARD_MS = 1000;

/** A pace is a window in which as many calls count as may be sent at once, each from when it is sent. */
export function countedOf(scope: QuotaScope): Counted {
  if (scope.kind === 'permits') return { limit: scope.limit, countsMs: 0, guardMs: 0 };
  if (scope.kind === 'pace')
    return { limit: scope.burst, countsMs: (1000 * scope.burst) / scope.perSecond, guardMs: 0 };
  return { limit: scope.limit, countsMs: scope.windowMs + GUARD_MS, guardMs: GUARD_MS };
}

/** What a replica may take of an account while it does not know what the others do. */
export interface Share {
  /** Of how many equal parts of the whole its calls must fit one. */
  readonly parts: number;
  /** While calls of the others from before count: how many more it may make, and for how many milliseconds; or null. */
  readonly left: number | null;
  readonly forMs: number;
}

/** Who asks for room. */
interface Asking {
  readonly share?: Share | null;
  readonly reserved?: number;
}

/** What an account, or a replica's part of it, has room for. */
export class Room {
  private readonly scope: QuotaScope;
  private readonly headroom: Headroom;
  private readonly view: LogView;
  private readonly limit: number;
  private readonly remaining: number;
  private readonly share: Share | null;
  private readonly reserved: number;

  /** `reserved` is how many of the calls that ask for room have a place already and are not in flight. */
  constructor(scope: QuotaScope, headroom: Headroom, view: LogView, { share = null, reserved = 0 }: Asking = {}) {
    this.scope = scope;
    this.headroom = headroom;
    this.view = view;
    this.share = share;
    this.reserved = reserved;
    // An undocumented limit is discovered with a single call.
    const limit = view.limit ?? countedOf(scope).limit ?? 1;
    const parts = share?.parts ?? 1;
    this.limit = share?.left == null ? Math.max(1, Math.floor(limit / parts)) : view.counted + share.left;
    // What is left of a share is of what the headers left too.
    this.remaining =
      view.remaining === null ? UNLIMITED : Math.floor(view.remaining / (share?.left == null ? parts : 1));
  }

  /** Calls that are free by both log and headers, without headroom; negative when the limit has shrunk. */
  get free(): number {
    return Math.min(this.limit - this.view.counted, this.remaining - this.view.inFlight - this.reserved);
  }

  bounds(): Bounds {
    if (this.view.blockedMs > 0) return { most: 0, mostInFlight: 0 };
    const leave = this.headroomCalls();
    // Reserved calls lose their places if the headers leave fewer, which only another user of the key can cause.
    const kept = Math.max(0, Math.min(this.reserved, this.remaining - leave));
    const most = this.view.counted - this.reserved + kept + Math.max(0, this.free - leave);
    return { most, mostInFlight: Math.min(this.mostInFlight(), this.remaining - leave) };
  }

  /** How many of the calls that were just granted, by bounds of an older view, are too many by this one. */
  excess(): number {
    if (this.view.blockedMs > 0) return this.view.granted;
    const leave = this.headroomCalls();
    const over = Math.max(this.view.counted - (this.limit - leave), this.view.inFlight - (this.remaining - leave));
    return Math.min(this.view.granted, Math.max(0, over));
  }

  /** Fraction of the whole, from 0 to 1, that is free. */
  get left(): number {
    return this.scope.kind === 'window' ? Math.max(0, this.free / Math.max(1, this.limit)) : 1;
  }

  /** Milliseconds until a refusal or the headers' window ends, so that reserved calls may go unlanded; or infinite. */
  get resumesInMs(): number {
    const { blockedMs, endsInMs } = this.view;
    return Math.min(blockedMs || Number.POSITIVE_INFINITY, endsInMs || Number.POSITIVE_INFINITY);
  }

  /** Milliseconds until the call at this position after those that were granted may go, if it is not for those in flight. */
  startsInMs(position: number): number {
    const { countsMs } = countedOf(this.scope);
    const { counted, granted, places, frees, endsInMs, blockedMs } = this.view;
    const place = position + this.headroomCalls();
    const isReserved = position < places - granted;
    // So many must stop counting before. A call in flight may count for a whole window from now on.
    const before = isReserved ? 0 : counted + place - (places - granted) + 1 - this.limit;
    if (before > 0 && this.share?.left != null) return Math.max(blockedMs, this.share.forMs);
    const wholeWindows = Math.floor((before - 1) / this.limit);
    const byLogMs =
      before <= 0 ? 0 : Math.min(countsMs, frees[(before - 1) % this.limit] ?? countsMs) + wholeWindows * countsMs;
    // The headers may or may not include the calls in flight.
    const byHeadersMs = place < this.remaining - (isReserved ? 0 : this.view.inFlight) ? 0 : endsInMs;
    return Math.max(blockedMs, byLogMs, byHeadersMs);
  }

  private headroomCalls(): number {
    if (typeof this.headroom === 'number') return Math.ceil(this.limit * this.headroom);
    return Math.ceil(Math.max(0, this.free + this.view.bulk) / 2);
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

/** Most calls in flight when little of a window is left, or its service does not report how much is. */
const MAX_AT_END = 8;
/** As many as the bulkhead lets through. */
const MAX_IN_FLIGHT = 32;
