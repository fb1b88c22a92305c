import { mostInFlight } from './book.js';

/** What an account has to give at one moment, in calls. */
export interface Room {
  /** Calls that may count at once. */
  readonly limit: number;
  /** Spends that count, those that were not sent yet included. */
  readonly spent: number;
  /** Spends that were not sent yet. */
  readonly reserved: number;
  readonly inFlight: number;
  /** What the headers left when they were heard last; without bound when they say nothing. */
  readonly remaining: number;
  /** What of it nobody has a spend for. */
  readonly freeByHeaders: number;
  readonly blocked: boolean;
}

/** Who asks: how many have a spend already, how many have none, and how many calls must be left to others. */
export interface Askers {
  readonly held: number;
  readonly fresh: number;
  readonly kept: number;
}

/**
 * How many of those who ask may fly, and how many after them have or keep a spend. The headers are heard three times:
 * - A new spend fits beside all that is reserved or in flight.
 * - A call flies only while the headers leave more than what is in flight, for nobody knows whether they counted that.
 * - A reserved spend is void once the headers leave less than is reserved, even if they counted all that is in flight:
 *   only a stranger on the key can bring that about, and whoever held it is told so while he can still go elsewhere.
 */
export function handOut({ held, fresh, kept }: Askers, room: Room): { readonly flying: number; reserved: number } {
  const reservedByOthers = room.reserved - held;
  const staying = within(held, room.remaining - kept - reservedByOthers);
  const free = room.blocked ? 0 : Math.min(room.limit - room.spent, room.freeByHeaders) - kept;
  const granted = staying + within(fresh, free);
  const places = room.blocked ? 0 : mostInFlight(room.limit) - room.inFlight;
  const flying = within(granted, Math.min(places, room.remaining - kept - room.inFlight));
  return { flying, reserved: granted - flying };
}

function within(wanted: number, most: number): number {
  return Math.max(0, Math.min(wanted, most));
}
