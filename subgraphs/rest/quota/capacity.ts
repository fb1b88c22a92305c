import { UNLIMITED, type WaitEstimate } from './account.js';

/** What a window's account, or a replica's share of it, has to give at one moment, in calls. */
export interface Capacity {
  readonly limit: number;
  /** Calls that count; how many of them are reserved, and how many in flight. */
  readonly spent: number;
  readonly reserved: number;
  readonly inFlight: number;
  /** The lowest `remaining` of this window's headers; `UNLIMITED` when they report none. */
  readonly remaining: number;
  /** What of it is neither reserved nor in flight. */
  readonly freeByHeaders: number;
  /** Milliseconds until each of the calls that count stops doing so, if only those in flight land from now on. */
  endsInMs(): number[];
}

/** How many calls may be sent, and how many are reserved when these are counted too. */
export interface Allotment {
  readonly granted: number;
  readonly placed: number;
}

/** The calls of one request for permits, and what holds for them. */
export interface Demand {
  /** How many of them are reserved already, and how many are not. */
  readonly held: number;
  readonly fresh: number;
  /** Share of the limit, from 0 to 1, that must stay free. */
  readonly headroom: number;
  /** How long a call counts after its landing. */
  readonly countsMs: number;
  readonly blockedMs: number;
  /** Milliseconds until the headers' window ends, guard included; 0 when they say nothing. */
  readonly headersEndInMs: number;
}

/** What all of the capacities grant. */
export function allot(demand: Demand, capacities: readonly Capacity[]): Allotment {
  const each = capacities.map((capacity) => allotOf(demand, capacity));
  return {
    granted: Math.min(...each.map(({ granted }) => granted)),
    placed: Math.min(...each.map(({ placed }) => placed)),
  };
}

/** The headers count three times: for those that stay reserved, for new ones, and for what is sent. */
function allotOf({ held, fresh, headroom, blockedMs }: Demand, capacity: Capacity): Allotment {
  const { limit, spent, reserved, inFlight, remaining, freeByHeaders } = capacity;
  const untouched = Math.ceil(limit * headroom);
  // Void once the headers leave less than is reserved: only a stranger on the key brings that about, and the caller is
  // refused while they can still go elsewhere.
  const staying = within(held, remaining - untouched - (reserved - held));
  if (blockedMs > 0) return { granted: 0, placed: staying };
  const placed = staying + within(fresh, Math.min(limit - spent, freeByHeaders) - untouched);
  // The headers may or may not have counted what is in flight.
  const most = Math.min(mostInFlight(capacity), remaining - untouched) - inFlight;
  return { granted: within(placed, most), placed };
}

/** Calls in flight at once near the end of a window, and where its service does not say how much of it is left. */
const MOST_AT_THE_END = 8;
/** As many as the bulkhead lets through. */
const MOST_EVER = 32;

/**
 * Calls of a scope that may be in flight at once: the fewer, the less a stranger on the key costs. As long as the service
 * reports much more than that as left, a tenth of it may be.
 */
function mostInFlight({ limit, spent, remaining }: Capacity): number {
  const atTheEnd = Math.min(MOST_AT_THE_END, Math.max(1, Math.floor(limit / 10)));
  if (remaining >= UNLIMITED) return atTheEnd;
  return Math.max(atTheEnd, Math.min(MOST_EVER, Math.floor(Math.min(remaining, limit - spent) / 10)));
}

function within(wanted: number, most: number): number {
  return Math.max(0, Math.min(wanted, most));
}

/** When waiting calls can start, for which each of the capacities must have a place. */
export function estimateWindowWait(demand: Demand, capacities: readonly Capacity[]): WaitEstimate {
  const { blockedMs, headersEndInMs } = demand;
  const starts = capacities.map((capacity) => startsIn(demand, capacity));
  return {
    resumesInMs: Math.min(Number.POSITIVE_INFINITY, ...[blockedMs, headersEndInMs].filter((ms) => ms > 0)),
    startsInMs: (position) => Math.max(0, blockedMs, ...starts.map((startsOf) => startsOf(position))),
    blockedMs,
    left: Math.min(...capacities.map(shareLeft)),
  };
}

function shareLeft({ limit, spent, freeByHeaders }: Capacity): number {
  return limit <= 0 ? 0 : Math.max(0, Math.min(limit - spent, freeByHeaders)) / limit;
}

function startsIn({ countsMs, headersEndInMs, headroom }: Demand, capacity: Capacity): (position: number) => number {
  const { limit, spent, freeByHeaders } = capacity;
  // Sorted only when a call waits: most go at once.
  let sorted: number[] | null = null;
  const byLogMs = (place: number) => {
    if (limit <= 0) return countsMs;
    const slot = (place % limit) - (limit - spent);
    const laterMs = Math.floor(place / limit) * countsMs;
    if (slot < 0) return laterMs;
    sorted ??= capacity.endsInMs().sort((a, b) => a - b);
    return (sorted[slot] ?? 0) + laterMs;
  };
  return (position) => {
    const place = position + Math.ceil(limit * headroom);
    return Math.max(byLogMs(place), place < freeByHeaders ? 0 : headersEndInMs);
  };
}
