import type { Grant } from './account.js';

/** Effectively no limit, for a service that announces none. */
export const UNLIMITED = 1_000_000;

/** How many calls a window's account, or a replica's share of it, can grant at one moment. */
export interface Capacity {
  readonly limit: number;
  readonly reserved: number;
  readonly inFlight: number;
  /** The limit less the calls that count; negative when a share has shrunk. */
  readonly freeByLog: number;
  /** The lowest `remaining` in this window's headers, or `UNLIMITED`; then that less what is reserved or in flight. */
  readonly remaining: number;
  readonly freeByHeaders: number;
  /** Milliseconds until each call that counts stops counting, if only calls in flight land from now on. */
  endsInMs(): number[];
}

/** The calls of one request for permits, and the conditions that apply. */
export interface Demand {
  /** How many of them are already reserved, and how many are not. */
  readonly reserved: number;
  readonly fresh: number;
  /** Fraction of the limit, from 0 to 1, that must stay free. */
  readonly headroom: number;
  /** How long a call counts after landing. */
  readonly countsMs: number;
  readonly blockedMs: number;
  /** Milliseconds until the headers' window ends; 0 when they report none. */
  readonly headersEndInMs: number;
}

/** The grant for a demand: every capacity must have a place for each call. */
export function grantFrom(capacities: readonly Capacity[], demand: Demand): Omit<Grant, 'retryInMs'> {
  const { reserved, fresh, headroom, blockedMs, headersEndInMs } = demand;
  const least = (of: (capacity: Capacity) => number) => Math.min(...capacities.map(of));
  const byHeaders = (one: Capacity) => one.remaining - untouched(one, headroom);
  // Reserved calls lose their places if the headers leave fewer, which only another user of the key can cause. Their
  // callers are then refused early enough to go elsewhere.
  const staying = least((one) => byHeaders(one) - (one.reserved - reserved));
  const free = blockedMs > 0 ? 0 : least((one) => freePlaces(one, headroom));
  // The headers may or may not include the calls in flight.
  const most = blockedMs > 0 ? 0 : least((one) => Math.min(mostInFlight(one), byHeaders(one)) - one.inFlight);
  const placed = within(reserved, staying) + within(fresh, free);
  const granted = within(placed, most);
  const taken = placed - reserved;
  const left = least((one) => (freePlaces(one, 0) - taken) / Math.max(1, one.limit));
  const starts = capacities.map((one) => startsIn(one, demand));
  return {
    ...{ granted, reserved: placed - granted, blockedMs, left: Math.max(0, left) },
    resumesInMs: Math.min(Number.POSITIVE_INFINITY, ...[blockedMs, headersEndInMs].filter((ms) => ms > 0)),
    startsInMs: (position) => Math.max(blockedMs, ...starts.map((startsInMs) => startsInMs(taken + position))),
  };
}

function startsIn(capacity: Capacity, { countsMs, headersEndInMs, headroom }: Demand): (position: number) => number {
  const { limit, freeByLog, freeByHeaders } = capacity;
  // Sorted only if a call has to wait: most go at once.
  let sorted: number[] | null = null;
  const byLogMs = (place: number) => {
    if (limit <= 0) return countsMs;
    sorted ??= capacity.endsInMs().sort((a, b) => a - b);
    return (sorted[(place % limit) - freeByLog] ?? 0) + Math.floor(place / limit) * countsMs;
  };
  return (position) => {
    if (position < freePlaces(capacity, headroom)) return 0;
    const place = position + untouched(capacity, headroom);
    return Math.max(byLogMs(place), place < freeByHeaders ? 0 : headersEndInMs);
  };
}

/** How many more calls can be reserved, by both log and headers. */
function freePlaces(capacity: Capacity, headroom: number): number {
  return Math.min(capacity.freeByLog, capacity.freeByHeaders) - untouched(capacity, headroom);
}

function untouched({ limit }: Capacity, headroom: number): number {
  return Math.ceil(limit * headroom);
}

/** Most calls in flight when little of a window is left, or its service does not report how much is. */
const MAX_AT_END = 8;
/** As many as the bulkhead lets through. */
const MAX_IN_FLIGHT = 32;

/**
 * How many calls of a scope may be in flight at once: the fewer, the less harm another user of the key does. While the
 * service reports plenty left, a tenth of that may be in flight.
 */
function mostInFlight({ limit, freeByLog, remaining }: Capacity): number {
  const atTheEnd = Math.min(MAX_AT_END, Math.max(1, Math.floor(limit / 10)));
  if (remaining >= UNLIMITED) return atTheEnd;
  return Math.max(atTheEnd, Math.min(MAX_IN_FLIGHT, Math.floor(Math.min(remaining, freeByLog) / 10)));
}

function within(wanted: number, most: number): number {
  return Math.max(0, Math.min(wanted, most));
}
