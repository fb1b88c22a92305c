import { GUARD_MS, type WaitEstimate } from './account.js';

/** What a window's account, or a replica's share of it, has to give at one moment, in calls. */
export interface Capacity {
  readonly limit: number;
  /** Calls that count; so many of them are reserved, and so many in flight. */
  readonly spent: number;
  readonly reserved: number;
  readonly inFlight: number;
  /** The latest `remaining` of the headers; `UNLIMITED` when they report none. */
  readonly remaining: number;
  /** What of it is neither reserved nor in flight. */
  readonly freeByHeaders: number;
  /** Milliseconds until each of the calls that count stops doing so, if only those in flight land from now on. */
  endsInMs(): number[];
}

/** How many calls may be sent, and how many after them are or stay reserved. */
export interface Allotment {
  readonly granted: number;
  readonly reserved: number;
}

/** The calls of one request for permits: how many are reserved already, and what they must leave to others. */
export interface Demand {
  readonly held: number;
  readonly fresh: number;
  /** Share of the limit, from 0 to 1, that must stay free. */
  readonly headroom: number;
  readonly blocked: boolean;
}

/** What a capacity grants. Its headers count three times: for reservations kept, for new ones, and for what is sent. */
export function allot({ held, fresh, headroom, blocked }: Demand, capacity: Capacity): Allotment {
  const { limit, spent, reserved, inFlight, remaining, freeByHeaders } = capacity;
  const kept = Math.ceil(limit * headroom);
  // Void once the headers leave less than is reserved: only a stranger on the key brings that about, and the caller is
  // refused while they can still go elsewhere.
  const staying = within(held, remaining - kept - (reserved - held));
  const free = blocked ? 0 : Math.min(limit - spent, freeByHeaders) - kept;
  const placed = staying + within(fresh, free);
  const places = blocked ? 0 : mostInFlight(limit) - inFlight;
  // The headers may or may not have counted what is in flight.
  const granted = within(placed, Math.min(places, remaining - kept - inFlight));
  return { granted, reserved: placed - granted };
}

/** The smaller of two allotments: what both capacities allow. */
export function smallerOf(one: Allotment, other: Allotment): Allotment {
  const granted = Math.min(one.granted, other.granted);
  return { granted, reserved: Math.min(one.granted + one.reserved, other.granted + other.reserved) - granted };
}

/** Calls of a scope that may be in flight at once: the fewer, the less a stranger on the key costs. */
function mostInFlight(limit: number): number {
  return Math.min(8, Math.max(1, Math.floor(limit / 10)));
}

function within(wanted: number, most: number): number {
  return Math.max(0, Math.min(wanted, most));
}

/** What a wait depends on beside the capacity. */
export interface WaitContext {
  /** How long a call counts after its landing. */
  readonly countsMs: number;
  readonly blockedMs: number;
  /** Milliseconds until the headers' window ends, guard included; 0 when they say nothing. */
  readonly headersEndInMs: number;
  readonly headroom: number;
}

/** When waiting calls can start, for which each of the capacities must have a place. */
export function estimateWindowWait(capacities: readonly Capacity[], context: WaitContext): WaitEstimate {
  const { blockedMs, headersEndInMs } = context;
  const starts = capacities.map((capacity) => startsIn(capacity, context));
  const startsInMs = (position: number) => Math.max(0, blockedMs, ...starts.map((startsOf) => startsOf(position)));
  return {
    resumesInMs: Math.min(Number.POSITIVE_INFINITY, ...[blockedMs, headersEndInMs].filter((ms) => ms > 0)),
    startsInMs,
    blockedMs,
    // Without the guard: a caller who comes back then waits that second in the queue.
    retryInMs: (position) => Math.max(0, startsInMs(position) - GUARD_MS),
    left: Math.min(...capacities.map(shareLeft)),
    perWindow: Math.max(1, Math.min(...capacities.map(({ limit }) => limit))),
  };
}

function shareLeft({ limit, spent, freeByHeaders }: Capacity): number {
  return limit <= 0 ? 0 : Math.max(0, Math.min(limit - spent, freeByHeaders)) / limit;
}

function startsIn(
  capacity: Capacity,
  { countsMs, headersEndInMs, headroom }: WaitContext,
): (position: number) => number {
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
